/* SPDX-License-Identifier: MIT */
/*
 * amount.c - writes amounts of the resource for people.
 *
 * Show room. In: gticks or hits, and what they are. Out: text.
 */
#include "write/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Percentages are decimals of twelve places, and not the binary fractions next to them: then the
 * comparison with counts of 64 bits is one of whole numbers, of less than 111 bits. */
#define PER_PERCENT UINT64_C(1000000000000)

static const struct amount_scale times[] = {
	{1e9, " s", AMOUNT_WIDTH},
	{1e6, " ms", AMOUNT_WIDTH},
	{1e3, " us", AMOUNT_WIDTH},
	{1, " ns", AMOUNT_WIDTH},
};

static struct amount_scale time_scale(unsigned __int128 largest)
{
	size_t i = 0;

	while (i < 3 && (double)largest < times[i].divisor)
		i++;
	return times[i];
}

bool amount_is_time(const struct profile *p)
{
	return p->unit != STRINGS_NONE && strcmp(strings_get(p->strings, p->unit, NULL), "ns") == 0;
}

struct amount_scale amount_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest)
{
	struct amount_scale scale = {1, "", AMOUNT_WIDTH};
	char text[AMOUNT_BYTES];
	int width;

	if (unit == TREE_GTICKS && amount_is_time(p))
		scale = time_scale(largest);
	width = (int)strlen(amount_text(text, scale, largest));
	scale.width = width > AMOUNT_WIDTH ? width : AMOUNT_WIDTH;
	return scale;
}

int amount_count_width(uint64_t largest)
{
	int width = 1;

	for (; largest > 9; largest /= 10)
		width++;
	return width > COUNT_WIDTH ? width : COUNT_WIDTH;
}

const char *amount_text(char text[AMOUNT_BYTES], struct amount_scale scale,
			unsigned __int128 amount)
{
	const uint64_t part = UINT64_C(1000000000000000000);

	if (scale.divisor > 1)
		snprintf(text, AMOUNT_BYTES, "%.3f%s", (double)amount / scale.divisor,
			 scale.suffix);
	else if (amount > UINT64_MAX)
		snprintf(text, AMOUNT_BYTES, "%" PRIu64 "%018" PRIu64 "%s",
			 (uint64_t)(amount / part), (uint64_t)(amount % part), scale.suffix);
	else
		snprintf(text, AMOUNT_BYTES, "%" PRIu64 "%s", (uint64_t)amount, scale.suffix);
	return text;
}

const char *amount_gticks(char text[AMOUNT_BYTES], const struct profile *p, uint64_t gticks)
{
	return amount_text(text, amount_scale(p, TREE_GTICKS, gticks), gticks);
}

const char *amount_duration(char text[AMOUNT_BYTES], uint64_t ns)
{
	return amount_text(text, time_scale(ns), ns);
}

const char *amount_ns(char text[AMOUNT_BYTES], uint64_t ns)
{
	struct amount_scale scale = time_scale(ns);

	snprintf(text, AMOUNT_BYTES, "%.10g%s", (double)ns / scale.divisor, scale.suffix);
	return text;
}

double amount_fraction(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

bool amount_below(uint64_t part, uint64_t whole, double percent)
{
	unsigned __int128 least = (uint64_t)llround(percent * PER_PERCENT);

	return (unsigned __int128)part * 100 * PER_PERCENT < least * whole;
}
