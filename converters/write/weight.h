/* SPDX-License-Identifier: MIT */
/*
 * weight.h - writes weights for people: "1.234 s", "305".
 *
 * In: weights or hits, and the unit of a weight. Out: text.
 */
#ifndef WEIGHT_H
#define WEIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "tree/tree.h"

#define WEIGHT_BYTES 48 /* the longest text with its NUL */

/* How the weights of one table are written. All have the same unit, so that they can be
 * compared. */
struct weight_scale {
	double divisor;	    /* 1: weights are counts and are written without decimals */
	const char *suffix; /* " s", " ms", ... or "" */
	int width;	    /* of a column, so that the largest weight fits: WEIGHT_WIDTH or more */
};

#define WEIGHT_WIDTH	   12 /* of a column of weights, unless they are longer */
#define WEIGHT_COUNT_WIDTH 9  /* of a column of counts */

/* The scale for a table whose largest weight is `largest`. Only a weight in nanoseconds is a
 * time. */
struct weight_scale weight_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest);
const char *weight_text(char text[WEIGHT_BYTES], struct weight_scale scale,
			unsigned __int128 weight);

/* How wide a column must be for counts of up to `largest`: WEIGHT_COUNT_WIDTH or more. */
int weight_count_width(uint64_t largest);

/* A single weight, with the unit that suits it. */
const char *weight_alone(char text[WEIGHT_BYTES], const struct profile *p, uint64_t weight);
const char *weight_duration(char text[WEIGHT_BYTES], uint64_t ns);
/* A time such as an interval, without needless decimals: "1 ms", "1.5 s". */
const char *weight_ns(char text[WEIGHT_BYTES], uint64_t ns);

/* part / whole, or 0 if both are 0. */
double weight_fraction(uint64_t part, uint64_t whole);
/* Whether part / whole is strictly less than `percent` percent. */
bool weight_below(uint64_t part, uint64_t whole, double percent);

/* Whether one gtick of the profile is a nanosecond. */
bool weight_is_time(const struct profile *p);

#endif
