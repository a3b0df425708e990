/* SPDX-License-Identifier: MIT */
/*
 * student.h - Student's t distribution.
 *
 * In: a value, degrees of freedom. Out: probabilities, and the value that has one.
 */
#ifndef STUDENT_H
#define STUDENT_H

/* The probability that |t| is at least as large; `freedom` is positive, or infinite for the normal distribution. */
double student_two_sided(double t, double freedom);

/* The t that |t| reaches with the probability p (0 < p < 1): 2.228 for 0.05 and 10 degrees of freedom. */
double student_quantile(double p, double freedom);

#endif
