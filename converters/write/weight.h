/* SPDX-License-Identifier: MIT */
/*
 * weight.h - writes weights for people: "1.234 s", "64 KB", "305".
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
	const char *suffix; /* " s", " ms", ... or "", or of very large counts " G", " T", ... */
	int width;	    /* of a column, so that the largest weight fits: WEIGHT_WIDTH or more */
};

#define WEIGHT_WIDTH	   12 /* of a column of weights, unless they are longer */
#define WEIGHT_COUNT_WIDTH 9  /* of a column of counts */

/* The scale for a table whose largest weight is `largest`. A weight in nanoseconds is a
 * time, one in bytes an amount of memory (1 KB is 1000 bytes), and others are counts. Counts that have more than twelve digits are written in thousand millions (G) or more. */
struct weight_scale weight_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest);
const char *weight_text(char text[WEIGHT_BYTES], struct weight_scale scale,
			unsigned __int128 weight);

/* How wide a column must be for counts of up to `largest`: WEIGHT_COUNT_WIDTH or more. */
int weight_count_width(uint64_t largest);

/* A single weight, with the unit that suits it. */
const char *weight_alone(char text[WEIGHT_BYTES], const struct profile *p, uint64_t weight);
const char *weight_duration(char text[WEIGHT_BYTES], uint64_t ns);
/* The same with a unit of any kind: "1.234 s", "3 requests". */
const char *weight_with_unit(char text[WEIGHT_BYTES], const char *unit, uint64_t weight);

/* Whether of two weights, as weight_with_unit writes them, the first is the larger one. */
bool weight_shows_more(const char *unit, uint64_t a, uint64_t b);
/* The same in at most eight columns: "1.23 s", "4.5e+15". */
const char *weight_brief(char text[WEIGHT_BYTES], const char *unit, uint64_t weight);
/* A time such as an interval, without needless decimals: "1 ms", "1.5 s". */
const char *weight_ns(char text[WEIGHT_BYTES], uint64_t ns);

/* part / whole, or 0 if both are 0. */
double weight_fraction(uint64_t part, uint64_t whole);
/* Whether part / whole is strictly less than `percent` percent. */
bool weight_below(uint64_t part, uint64_t whole, double percent);

/* An interval in gticks of the unit, without needless decimals: "1 ms", "10 calls". Of bytes it mostly is a
 * multiple of 1024: "64 KiB", "1000 B". */
const char *weight_interval(char text[WEIGHT_BYTES], const char *unit, uint64_t weight);

/* Whether one gtick of the profile is a nanosecond; whether it is one of CPU time. */
bool weight_is_time(const struct profile *p);
bool weight_is_cpu(const struct profile *p);
/* Whether weights have a scale, as times and bytes do. */
bool weight_is_scaled(const struct profile *p);

#endif
