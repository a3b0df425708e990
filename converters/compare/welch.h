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
 * Whether two means differ by more than chance, by Welch's t test.
 *
 * In: what the runs of two programs have used. Out: the difference, its interval of confidence, its
 * p value.
 */

/* The intervals have this confidence, and tests this level. */
#define WELCH_LEVEL 0.05

struct welch_side {
	size_t n;	 /* runs, at least one */
	double mean;	 /* of what they have used */
	double variance; /* of one run, from the differences between runs; 0 if n is 1 */
	double sampling; /* of one run: the part of the variance that sampling makes; it is known also if n is 1 */
};

struct welch {
	double change;	   /* of the mean */
	double plus_minus; /* half of the interval of confidence */
	double error;	   /* the standard error of the change, with... */
	double freedom;	   /* ...these degrees of freedom; infinite if both sides have one run */
	double p;	   /* the probability of at least such a change by chance */
};

/* The mean and variance of n values. */
struct welch_side welch_side(const double *values, size_t n, double sampling);

/*
 * Compare two sides. The variance of a side is not taken to be less than what sampling makes: runs may be
 * equal by chance. A side of one run is taken to vary as the other one does. If both have one run, the
 * variances are those of sampling alone.
 */
struct welch welch_compare(const struct welch_side *before, const struct welch_side *after);

#endif
