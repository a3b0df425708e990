/* SPDX-License-Identifier: MIT */
/*
 * welch.c - compares two means.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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

double welch_ratio(const struct welch_side *before, const struct welch_side *after, double *freedom)
{
	const struct welch_side *sides[] = {before, after};
	double sum = 0;

	*freedom = 0;
	for (size_t i = 0; i < 2; i++) {
		double of_side = (double)sides[i]->n - 1;

		if (!(of_side > 0 && sides[i]->sampling > 0))
			continue;
		sum += of_side * sides[i]->variance / sides[i]->sampling;
		*freedom += of_side;
	}
	return *freedom > 0 ? sum / *freedom : 1;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void welch_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

struct welch_common welch_common(double *ratios, size_t n, double freedom)
{
	struct welch_common common = {.factor = 1};
	double cube;

	if (!n || !(freedom > 0))
		return common;
	welch_sort(ratios, n);
	/* The median of chi squared over its degrees of freedom (E. B. Wilson and M. M. Hilferty, The distribution of
	 * chi-square, Proceedings of the National Academy of Sciences 17, 1931). */
	cube = 1 - 2 / (9 * freedom);
	common.factor = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2 / (cube * cube * cube);
	if (common.factor < 1)
		common.factor = 1;
	/* A median is known as well as a mean of 2/pi of the values. */
	common.freedom = fmax(freedom, freedom * (double)n * M_2_PI);
	return common;
}

/* A variance, made of parts that are independent of each other. */
struct sum {
	double all;
	double of_freedom; /* the squares of the parts, each divided by its degrees of freedom */
};

static void add(struct sum *s, double part, double freedom)
{
	s->all += part;
	if (part > 0)
		s->of_freedom += part * part / freedom;
}

/* Of sides whose variance only the runs tell; a side of one run borrows the variance of the other. */
static struct sum measured(const struct welch_side *a, const struct welch_side *b)
{
	struct sum s = {0};

	if (a->n > 1 && b->n > 1) {
		add(&s, a->variance / (double)a->n, (double)a->n - 1);
		add(&s, b->variance / (double)b->n, (double)b->n - 1);
	} else if (a->n > 1 || b->n > 1) {
		const struct welch_side *from = a->n > 1 ? a : b;

		add(&s, from->variance * (1 + 1 / (double)from->n), (double)from->n - 1);
	}
	return s;
}

/* Of sides whose samples tell a part of it. */
static struct sum estimated(const struct welch_side *a, const struct welch_side *b,
			    const struct welch_common *common)
{
	double freedom, ratio = welch_ratio(a, b, &freedom);
	double known = a->sampling / (double)a->n + b->sampling / (double)b->n;
	struct sum s = {.all = known};

	if (common->freedom > 0)
		add(&s, known * (common->factor - 1), common->freedom);
	if (freedom > 0 && ratio > common->factor)
		add(&s, known * (ratio - common->factor), freedom);
	/* A side without any sample has no variance of sampling that others could be compared with. */
	if (!(a->sampling > 0) && a->n > 1)
		add(&s, a->variance / (double)a->n, (double)a->n - 1);
	if (!(b->sampling > 0) && b->n > 1)
		add(&s, b->variance / (double)b->n, (double)b->n - 1);
	return s;
}

struct welch welch_compare(const struct welch_side *before, const struct welch_side *after,
			   const struct welch_common *common)
{
	bool is_sampled = before->sampling > 0 || after->sampling > 0;
	struct sum s = is_sampled ? estimated(before, after, common) : measured(before, after);
	struct welch w = {
		.change = after->mean - before->mean,
		.error = sqrt(s.all),
		.freedom = s.of_freedom > 0 ? s.all * s.all / s.of_freedom : INFINITY,
	};

	w.plus_minus = w.error > 0 ? student_quantile(WELCH_LEVEL, w.freedom) * w.error : 0;
	if (w.error > 0)
		w.p = student_two_sided(w.change / w.error, w.freedom);
	else
		w.p = w.change ? 0 : 1;
	return w;
}
