/* SPDX-License-Identifier: MIT */
/* test_welch.c - means are compared as Welch has it, with probabilities of Student's t. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "compare/comparison.h"
#include "compare/welch.h"

/* ---- student --------------------------------------------------------------------------------- */
/*
 * Probabilities of Student's t are those of tables and of closed forms.
 *
 * Seen to fail: with an odd coefficient in the place of the even one; without the change of sides
 * where the fraction converges slowly; with a t that is not squared.
 */

static void is_near(double got, double want)
{
	cr_assert(fabs(got - want) <= 1e-12 + 1e-10 * fabs(want), "%.15g, not %.15g", got, want);
}

/* With 1, 2 and 4 degrees of freedom the distribution has a closed form. */
Test(student, closed_forms)
{
	for (double t = 1e-6; t < 1e6; t *= 1.7) {
		double s = t / sqrt(2 + t * t), r = t / sqrt(4 + t * t);

		is_near(student_two_sided(t, 1), 1 - 2 * atan(t) / M_PI);
		is_near(student_two_sided(-t, 2), 1 - s);
		is_near(student_two_sided(t, 4), 1 - r * (1.5 - 0.5 * r * r));
	}
}

/* Two-sided 5 % and 1 % of the tables. */
Test(student, tables)
{
	static const double rows[][3] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},
					 {5, 2.571, 4.032},   {10, 2.228, 3.169},
					 {30, 2.042, 2.750},  {120, 1.980, 2.617}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_float_eq(student_quantile(0.05, rows[i][0]), rows[i][1], 0.0006);
		cr_assert_float_eq(student_quantile(0.01, rows[i][0]), rows[i][2], 0.0006);
	}
	cr_assert_float_eq(student_quantile(0.05, INFINITY), 1.959964, 1e-6);
	cr_assert_float_eq(student_two_sided(1.959964, 1e9), 0.05, 1e-6);
}

Test(student, ends)
{
	is_near(student_two_sided(0, 3), 1);
	is_near(student_two_sided(INFINITY, 3), 0);
	is_near(student_two_sided(1e200, 3), 0);
	is_near(student_two_sided(NAN, 3), 1);
	for (double freedom = 0.5; freedom < 1e6; freedom *= 3)
		is_near(student_two_sided(student_quantile(0.05, freedom), freedom), 0.05);
}

/* ---- welch ----------------------------------------------------------------------------------- */
/*
 * Measured means are compared as Welch has it, sampled ones by both sources of variance, and the limit of p values is Benjamini
 * and Hochberg's.
 *
 * Seen to fail: with the variances divided by n instead of n - 1; with degrees of freedom of both
 * sides together; without the variance of sampling where runs are equal; with the limit at the
 * first p value that is too large.
 */

static const struct welch_common alone = {.factor = 1};

static struct welch compare(const double *a, size_t n, const double *b, size_t m, double sampling)
{
	const struct welch_side before = welch_side(a, n, sampling),
				after = welch_side(b, m, sampling);

	return welch_compare(&before, &after, &alone);
}

/* The formulas of the paper by hand; p by integrating the density with Simpson's rule. */
Test(welch, known_result)
{
	static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				   21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				   24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4};
	struct welch w = compare(a, 15, b, 15, 0);

	cr_assert_float_eq(w.change / w.error, 2.852954870, 1e-8);
	cr_assert_float_eq(w.freedom, 27.887303988, 1e-8);
	cr_assert_float_eq(w.p, 0.00807193817, 1e-10);
	cr_assert_float_eq(w.plus_minus, 2.0488 * w.error, 1e-3 * w.error);
}

/* Equal runs have no variance of their own, but samples have. */
Test(welch, runs_that_are_equal)
{
	static const double one[] = {1, 1}, two[] = {2, 2};

	cr_assert_eq(compare(one, 2, two, 2, 0).p, 0);
	cr_assert_gt(compare(one, 2, two, 2, 1).p, 0.3);
	cr_assert_eq(compare(one, 2, one, 2, 0).p, 1);
}

/* One run has the variance of the others, two single ones that of sampling. */
Test(welch, single_runs)
{
	static const double several[] = {9, 10, 11}, one[] = {12};
	struct welch w = compare(several, 3, one, 1, 0);

	cr_assert_eq(w.freedom, 2);
	cr_assert_float_eq(w.error, sqrt(1 + 1 / 3.), 1e-12);
	w = compare(one, 1, several, 3, 0);
	cr_assert_eq(w.freedom, 2);
	cr_assert_eq(w.change, -2);
	w = compare(one, 1, several, 1, 2);
	cr_assert(isinf(w.freedom));
	cr_assert_float_eq(w.plus_minus, 1.959964 * 2, 1e-5);
}

/* What is known of sampling lends no variance less than it has, and the excess of the runs adds to it: the sum of both has the
 * degrees of freedom that Satterthwaite's formula gives. */
Test(welch, two_sources)
{
	static const double a[] = {90, 110}, b[] = {190, 210};
	struct welch w = compare(a, 2, b, 2, 50);

	/* Runs have the variance 200: 50 by sampling, 150 by what else differs, which two degrees of freedom tell. */
	cr_assert_float_eq(w.error, sqrt(200), 1e-12);
	cr_assert_float_eq(w.freedom, 2 * (200. / 150) * (200. / 150), 1e-12);
	w = compare(a, 2, b, 2, 300);
	cr_assert_float_eq(w.error, sqrt(300), 1e-12);
	cr_assert(isinf(w.freedom));
}

/* The median of the ratios, and what belongs to it. Few rows may be equal by chance, and the factor is never below 1. */
Test(welch, how_rows_vary_in_common)
{
	double same[] = {3, 3, 3}, low[] = {0.1, 0.2}, one_far[] = {2, 1e9, 2.2};
	struct welch_common c = welch_common(same, 3, 14);

	cr_assert_float_eq(c.factor, 3 / 0.95269, 1e-2);
	cr_assert_float_eq(c.freedom, 3 * 14 * M_2_PI, 1e-9);
	cr_assert_eq(welch_common(low, 2, 2).factor, 1);
	cr_assert_lt(welch_common(one_far, 3, 14).factor, 2.4);
	cr_assert_eq(welch_common(NULL, 0, 14).freedom, 0);
}

/* ---- coverage -------------------------------------------------------------------------------- */
/*
 * Of intervals with a confidence of 95 %, 93 to 97 % have what is true in them: with one, two, three and eight runs on each side,
 * also where runs vary more than sampling makes them, in general or by half in one function more than in others.
 *
 * Seen to fail: with the variance of a row never below that of sampling, and Welch's degrees of freedom (two runs: 99.9 %); without
 * what rows have in common (two runs that vary by 2.4: 90 %).
 */

#define FUNCTIONS 30
#define ROUNDS	  800

static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)rand() / RAND_MAX;
	return sum;
}

/* A function has 400 samples in a run, give or take the root of that. */
static struct welch_side draw(size_t n, double variance)
{
	double values[8];

	for (size_t i = 0; i < n; i++)
		values[i] = 400 + sqrt(400 * variance) * normal();
	return welch_side(values, n, 400);
}

static void is_covered(size_t n, double variance, double of_first)
{
	unsigned right = 0, right_first = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct welch_side before[FUNCTIONS], after[FUNCTIONS];
		struct welch_common common;
		double ratios[FUNCTIONS], freedom = 0;

		for (size_t f = 0; f < FUNCTIONS; f++) {
			before[f] = draw(n, f ? variance : of_first);
			after[f] = draw(n, f ? variance : of_first);
			ratios[f] = welch_ratio(&before[f], &after[f], &freedom);
		}
		common = welch_common(ratios, freedom > 0 ? FUNCTIONS : 0, freedom);
		for (size_t f = 0; f < FUNCTIONS; f++) {
			struct welch w = welch_compare(&before[f], &after[f], &common);

			right += fabs(w.change) <= w.plus_minus;
			right_first += !f && fabs(w.change) <= w.plus_minus;
		}
	}
	cr_expect_geq(right, 0.93 * FUNCTIONS * ROUNDS, "%zu runs, variance %g: %g", n, variance,
		      (double)right / FUNCTIONS / ROUNDS);
	cr_expect_leq(right, 0.97 * FUNCTIONS * ROUNDS, "%zu runs, variance %g: %g", n, variance,
		      (double)right / FUNCTIONS / ROUNDS);
	/* So many rounds tell this to 0.8 %. The numbers are always the same. */
	cr_expect_geq(right_first, 0.92 * ROUNDS, "%zu runs, one function %g: %g", n, of_first,
		      (double)right_first / ROUNDS);
	cr_expect_leq(right_first, 0.98 * ROUNDS, "%zu runs, one function %g: %g", n, of_first,
		      (double)right_first / ROUNDS);
}

Test(welch, coverage)
{
	static const size_t runs[] = {2, 3, 8};

	srand(1);
	is_covered(1, 1, 1);
	for (size_t i = 0; i < 3; i++) {
		is_covered(runs[i], 1, 1);
		is_covered(runs[i], 1.5, 1.5);
		is_covered(runs[i], 2.4, 2.4);
		is_covered(runs[i], 10, 10);
		is_covered(runs[i], 1, 1.5);
	}
}

/* ---- discovery ------------------------------------------------------------------------------- */

/* The example of the paper: of fifteen p values, four are significant. */
Test(discovery, example_of_the_paper)
{
	double p[] = {0.3240, 0.0001, 0.0019, 0.0004, 0.0095, 0.0201, 0.0278, 0.0298,
		      0.0344, 0.0459, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

	cr_assert_eq(discovery_limit(p, 15, 0.05), 0.0095);
}

Test(discovery, few)
{
	double none[] = {0.06, 0.9}, both[] = {0.049, 0.05}, one[] = {0.03, 0.01};

	cr_assert_eq(discovery_limit(none, 0, 0.05), -1);
	cr_assert_eq(discovery_limit(none, 2, 0.05), -1);
	cr_assert_eq(discovery_limit(both, 2, 0.05), 0.05);
	cr_assert_eq(discovery_limit(one, 2, 0.05), 0.03);
}

/* Where nothing has changed, hardly one comparison in twenty of forty functions finds anything: of 2000, 100 are
 * expected and 140 are four standard deviations more. Where one of them has changed by three standard deviations of a
 * run, it is found. The numbers are always the same. */
Test(discovery, false_discoveries_are_rare)
{
	double p[40], of_one = 0;
	int wrong = 0, found = 0;

	srand(1);
	for (int round = 0; round < 2000; round++) {
		for (int f = 0; f < 40; f++) {
			double a[10], b[10];

			for (int i = 0; i < 10; i++) {
				a[i] = 100 + normal();
				b[i] = 100 + normal() + (round % 2 && !f ? 3 : 0);
			}
			p[f] = compare(a, 10, b, 10, 0).p;
			of_one = f ? of_one : p[f];
		}
		if (round % 2)
			found += of_one <= discovery_limit(p, 40, 0.05);
		else
			wrong += discovery_limit(p, 40, 0.05) >= 0;
	}
	cr_assert_leq(wrong, 70, "%d of 1000", wrong);
	cr_assert_geq(found, 950, "%d of 1000", found);
}
