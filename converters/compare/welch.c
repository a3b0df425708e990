/* SPDX-License-Identifier: MIT */
/*
 * welch.c - compares two means.
 *
 * In: means and variances. Out: Welch's t test (B. L. Welch, The generalization of 'Student's' problem when
 * several different population variances are involved, Biometrika 34, 1947).
 */
#include "compare/welch.h"

#include <math.h>

#include "compare/student.h"

struct welch_side welch_side(const double *values, size_t n, double sampling)
{
	struct welch_side side = {.n = n, .sampling = sampling};
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		side.mean += values[i];
	side.mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - side.mean) * (values[i] - side.mean);
	if (n > 1)
		side.variance = squares / (double)(n - 1);
	return side;
}

/* The variance of the mean of a side. */
static double variance_of(const struct welch_side *side, const struct welch_side *other)
{
	double one = side->n > 1 ? side->variance : other->n > 1 ? other->variance : 0;

	return fmax(one, side->sampling) / (double)side->n;
}

/* The degrees of freedom by Welch and Satterthwaite; of the other side alone where one has a single run. */
static double freedom_of(const struct welch_side *a, double of_a, const struct welch_side *b,
			 double of_b)
{
	double sum = of_a + of_b;

	if (a->n == 1 && b->n == 1)
		return INFINITY;
	if (a->n == 1 || b->n == 1)
		return (double)(a->n == 1 ? b->n : a->n) - 1;
	if (!(sum > 0))
		return (double)(a->n + b->n) - 2;
	of_a /= sum;
	of_b /= sum;
	return 1 / (of_a * of_a / (double)(a->n - 1) + of_b * of_b / (double)(b->n - 1));
}

struct welch welch_compare(const struct welch_side *before, const struct welch_side *after)
{
	double of_before = variance_of(before, after), of_after = variance_of(after, before);
	struct welch w = {
		.change = after->mean - before->mean,
		.error = sqrt(of_before + of_after),
		.freedom = freedom_of(before, of_before, after, of_after),
	};

	w.plus_minus = w.error > 0 ? student_quantile(WELCH_LEVEL, w.freedom) * w.error : 0;
	if (w.error > 0)
		w.p = student_two_sided(w.change / w.error, w.freedom);
	else
		w.p = w.change ? 0 : 1;
	return w;
}
