/* SPDX-License-Identifier: MIT */
/*
 * test_student.c - probabilities of Student's t are those of tables and of closed forms.
 *
 * Seen to fail: with an odd coefficient in the place of the even one; without the change of sides where the fraction
 * converges slowly; with a t that is not squared.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "compare/welch.h"

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
