/* SPDX-License-Identifier: MIT */
/*
 * bars.h - bars of text along a time axis: how much was used in each part of a run.
 *
 * In: weights by slices of time. Out: lines.
 */
#ifndef BARS_H
#define BARS_H

#include <stdbool.h>

#include "model/moments.h"
#include "write/out.h"

#define BARS_MOST 400 /* columns */

/* The axis: n columns from one time to another. */
struct bars {
	struct out *out;
	uint64_t begin_ns; /* when the run began; times are written as seconds after it */
	uint64_t from_ns, to_ns;
	int label, n; /* columns of the label before the bars, and of the bars */
	bool is_utf8;
};

/* Choose how wide the bars are, and with which characters they are drawn. */
void bars_begin(struct bars *b, struct out *o, uint64_t begin_ns, uint64_t from_ns, uint64_t to_ns);

/* What was used in each column, per nanosecond. */
void bars_fill(const struct bars *b, double values[BARS_MOST], const struct slices *s);

/* Write a bar for each value; a whole one stands for `whole`. */
void bars_write(const struct bars *b, const double values[BARS_MOST], double whole);

/* Write the axis with its seconds. */
void bars_axis(const struct bars *b);

/* Where a time is on the axis, in columns. */
int bars_column(const struct bars *b, uint64_t ns);

/* When a column begins, in seconds after the run's begin. */
double bars_seconds(const struct bars *b, int column);

/* How many decimals tell the columns apart. */
int bars_digits(const struct bars *b);

/* The shortest part that has at least half of all; *from and *to are columns. Returns its share. */
double bars_half(const struct bars *b, const double values[BARS_MOST], int *from, int *to);
/* The longest part in which next to nothing was used. */
void bars_idle(const struct bars *b, const double values[BARS_MOST], int *from, int *to);

#endif
