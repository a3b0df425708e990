/* SPDX-License-Identifier: MIT */
/*
 * welch.c - compares two means.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "compare/welch.h"

/* ---- student --------------------------------------------------------------------------------- */
/*
 * P(|t| >= x) = I_z(n/2, 1/2) with z = n / (n + x^2). The incomplete beta function is found by its continued
 * fraction (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8), evaluated from the front by
 * Lentz's method with Thompson and Barnett's change (Journal of Computational Physics 64, 1986).
 */

#define TERMS_MAX 10000
#define TINY	  1e-300 /* in place of 0, by which nothing can be divided */

/* Odd and even coefficients of the continued fraction of I_x(a, b). */
static double coefficient(double a, double b, double x, int n)
{
	int m = n / 2;

	if (n % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double not_nil(double v)
{
	return fabs(v) < TINY ? TINY : v;
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))) */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_nil(1 + coefficient(a, b, x, 1)), value = d;

	for (int n = 2; n < TERMS_MAX; n++) {
		double by;

		d = 1 / not_nil(1 + coefficient(a, b, x, n) * d);
		c = not_nil(1 + coefficient(a, b, x, n) / c);
		by = c * d;
		value *= by;
		if (fabs(by - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

/* The logarithm of x^a (1-x)^b / B(a, b). Only one thread compares, so that lgamma's global sign does no harm. */
static double log_front(double a, double b, double x, double rest)
{
	return lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest);
}

/* I_x(a, b); `rest` is 1 - x, which the caller knows more exactly. */
static double incomplete_beta(double a, double b, double x, double rest)
{
	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	if (x < (a + 1) / (a + b + 2)) /* where the fraction converges fast */
		return exp(log_front(a, b, x, rest)) * fraction(a, b, x) / a;
	return 1 - exp(log_front(b, a, rest, x)) * fraction(b, a, rest) / b;
}

double student_two_sided(double t, double freedom)
{
	double square = t * t;

	if (isnan(t))
		return 1;
	if (isinf(square))
		return 0;
	if (isinf(freedom))
		return erfc(fabs(t) / sqrt(2));
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square),
			       square / (freedom + square));
}

static double density(double t, double freedom)
{
	double half = (freedom + 1) / 2;

	if (isinf(freedom))
		return exp(-t * t / 2) / sqrt(2 * M_PI);
	return exp(lgamma(half) - lgamma(freedom / 2) - half * log1p(t * t / freedom)) /
	       sqrt(freedom * M_PI);
}

/* Newton's way from the left: the probability is convex in t, so that no step goes too far. */
double student_quantile(double p, double freedom)
{
	double t = 0;

	for (int i = 0; i < TERMS_MAX; i++) {
		double step = (student_two_sided(t, freedom) - p) / (2 * density(t, freedom));

		t += step;
		if (!(step > 4 * DBL_EPSILON * t))
			break;
	}
	return t;
}

/* ---- welch ----------------------------------------------------------------------------------- */
/*
 * Compares two means.
 *
 * In: means and variances. Out: Welch's t test (B. L. Welch, The generalization of 'Student's'
 * problem when several different population variances are involved, Biometrika 34, 1947).
 */

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
