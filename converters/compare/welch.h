/* SPDX-License-Identifier: MIT */
/*
 * welch.h - compares two means.
 */
#ifndef COMPARE_WELCH_H
#define COMPARE_WELCH_H

#include <stddef.h>

/* ---- student --------------------------------------------------------------------------------- */
/*
 * Student's t distribution.
 *
 * In: a value, degrees of freedom. Out: probabilities, and the value that has one.
 */

/* The probability that |t| is at least as large; `freedom` is positive, or infinite for the normal distribution. */
double student_two_sided(double t, double freedom);

/* The t that |t| reaches with the probability p (0 < p < 1): 2.228 for 0.05 and 10 degrees of freedom. */
double student_quantile(double p, double freedom);

/* ---- welch ----------------------------------------------------------------------------------- */
/*
 * Whether two means differ by more than chance.
 *
 * In: what the runs of two programs have used. Out: the difference, its interval of confidence, its
 * p value.
 *
 * The variance of a run has two sources: sampling, whose part is known from the samples of the run, and what differs between
 * runs by itself, which only several runs can tell. The latter is an excess over the former. The variance of the difference is
 * the sum of both, and Satterthwaite's formula gives the degrees of freedom of such a sum (F. E. Satterthwaite, An approximate
 * distribution of estimates of variance components, Biometrics Bulletin 2, 1946): what is known counts as infinitely many. So two
 * runs on a side tell more than one.
 */

/* The intervals have this confidence, and tests this level. */
#define WELCH_LEVEL 0.05

/* Sort n values, the least first. */
void welch_sort(double *values, size_t n);

struct welch_side {
	size_t n;	 /* runs, at least one */
	double mean;	 /* of what they have used */
	double variance; /* of one run, from the differences between runs; 0 if n is 1 */
	double sampling; /* of one run: the part of the variance that sampling makes; it is known also if n is 1 */
};

/* How runs vary in general, which all rows of a comparison tell together. */
struct welch_common {
	double factor;	/* the variance is so many times that of sampling; 1: no more than that */
	double freedom; /* of the factor; 0 if it is 1 because nothing else is known */
};

struct welch {
	double change;	   /* of the mean */
	double plus_minus; /* half of the interval of confidence */
	double error;	   /* the standard error of the change, with... */
	double freedom; /* ...these degrees of freedom; infinite if all of the variance is known */
	double p;	/* the probability of at least such a change by chance */
};

/* The mean and variance of n values. */
struct welch_side welch_side(const double *values, size_t n, double sampling);

/*
 * The variance of a row over that of sampling, of both sides together. The degrees of freedom are those of the ratio; 0: none is
 * known, because each side has one run, or sampling makes no variance.
 */
double welch_ratio(const struct welch_side *before, const struct welch_side *after,
		   double *freedom);

/* How runs vary by the ratios of n rows, each with so many degrees of freedom, which become sorted. The median is taken, so that a
 * function that does not vary as the others do says nothing of those. */
struct welch_common welch_common(double *ratios, size_t n, double freedom);

/*
 * Compare two sides. A side of one run is taken to vary as the other one does, in proportion to what sampling makes. If both have
 * one run, the variances are those of sampling alone. Where sampling makes no variance, as in totals, which are measured, this is
 * Welch's t test (B. L. Welch, The generalization of 'Student's' problem when several different population variances
 * are involved, Biometrika 34, 1947).
 */
struct welch welch_compare(const struct welch_side *before, const struct welch_side *after,
			   const struct welch_common *common);

#endif
