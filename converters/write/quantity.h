/* SPDX-License-Identifier: MIT */
/*
 * amount.h - amounts of the resource as people read them: "1.234 s", "305".
 *
 * Show room. In: gticks or hits, and what they are. Out: text.
 */
#ifndef AMOUNT_H
#define AMOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "tree/tree.h"

#define AMOUNT_BYTES 48 /* the longest text with its NUL */

/* How amounts of one table are written: all with the same unit, so that columns compare. */
struct amount_scale {
	double divisor;	    /* 1: a count, written without decimals */
	const char *suffix; /* " s", " ms", ... or "" */
	int width;	    /* of a column, so that the largest amount fits: AMOUNT_WIDTH or more */
};

#define AMOUNT_WIDTH 12 /* of a column of amounts, unless they are longer */
#define COUNT_WIDTH  9	/* of a column of counts */

/* The scale for a table whose largest amount is `largest`. Only gticks of nanoseconds are times. */
struct amount_scale amount_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest);
const char *amount_text(char text[AMOUNT_BYTES], struct amount_scale scale,
			unsigned __int128 amount);

/* How wide a column must be for counts of up to `largest`: COUNT_WIDTH or more. */
int amount_count_width(uint64_t largest);

/* One amount for itself: gticks of this profile. */
const char *amount_gticks(char text[AMOUNT_BYTES], const struct profile *p, uint64_t gticks);
const char *amount_duration(char text[AMOUNT_BYTES], uint64_t ns);
/* A time such as an interval, without needless decimals: "1 ms", "1.5 s". */
const char *amount_ns(char text[AMOUNT_BYTES], uint64_t ns);

/* part / whole, 0 for 0 / 0. */
double amount_fraction(uint64_t part, uint64_t whole);
/* Is part / whole strictly below this many percent? */
bool amount_below(uint64_t part, uint64_t whole, double percent);

/* Is one gtick of the profile a nanosecond? */
bool amount_is_time(const struct profile *p);

#endif
