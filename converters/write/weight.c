/* SPDX-License-Identifier: MIT */
/*
 * weight.c - writes weights for people.
 *
 * In: weights or hits, and their unit. Out: text.
 */
#include "write/weight.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A percentage is taken as a decimal number of twelve places, and not as the binary fraction next
 * to it. Then it can be compared with counts of 64 bits in whole numbers of less than 111 bits. */
#define PER_PERCENT UINT64_C(1000000000000)

static const struct weight_scale times[] = {
	{1e9, " s", WEIGHT_WIDTH},
	{1e6, " ms", WEIGHT_WIDTH},
	{1e3, " us", WEIGHT_WIDTH},
	{1, " ns", WEIGHT_WIDTH},
};

static struct weight_scale time_scale(unsigned __int128 largest)
{
	size_t i = 0;

	while (i < 3 && (double)largest < times[i].divisor)
		i++;
	return times[i];
}

bool weight_is_time(const struct profile *p)
{
	return p->unit != STRINGS_NONE && strcmp(strings_get(p->strings, p->unit, NULL), "ns") == 0;
}

struct weight_scale weight_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest)
{
	struct weight_scale scale = {1, "", WEIGHT_WIDTH};
	char text[WEIGHT_BYTES];
	int width;

	if (unit == TREE_GTICKS && weight_is_time(p))
		scale = time_scale(largest);
	width = (int)strlen(weight_text(text, scale, largest));
	scale.width = width > WEIGHT_WIDTH ? width : WEIGHT_WIDTH;
	return scale;
}

int weight_count_width(uint64_t largest)
{
	int width = 1;

	for (; largest > 9; largest /= 10)
		width++;
	return width > WEIGHT_COUNT_WIDTH ? width : WEIGHT_COUNT_WIDTH;
}

const char *weight_text(char text[WEIGHT_BYTES], struct weight_scale scale,
			unsigned __int128 weight)
{
	const uint64_t part = UINT64_C(1000000000000000000);

	if (scale.divisor > 1)
		snprintf(text, WEIGHT_BYTES, "%.3f%s", (double)weight / scale.divisor,
			 scale.suffix);
	else if (weight > UINT64_MAX)
		snprintf(text, WEIGHT_BYTES, "%" PRIu64 "%018" PRIu64 "%s",
			 (uint64_t)(weight / part), (uint64_t)(weight % part), scale.suffix);
	else
		snprintf(text, WEIGHT_BYTES, "%" PRIu64 "%s", (uint64_t)weight, scale.suffix);
	return text;
}

const char *weight_alone(char text[WEIGHT_BYTES], const struct profile *p, uint64_t weight)
{
	return weight_text(text, weight_scale(p, TREE_GTICKS, weight), weight);
}

const char *weight_duration(char text[WEIGHT_BYTES], uint64_t ns)
{
	return weight_text(text, time_scale(ns), ns);
}

const char *weight_ns(char text[WEIGHT_BYTES], uint64_t ns)
{
	struct weight_scale scale = time_scale(ns);

	snprintf(text, WEIGHT_BYTES, "%.10g%s", (double)ns / scale.divisor, scale.suffix);
	return text;
}

double weight_fraction(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

bool weight_below(uint64_t part, uint64_t whole, double percent)
{
	unsigned __int128 least = (uint64_t)llround(percent * PER_PERCENT);

	return (unsigned __int128)part * 100 * PER_PERCENT < least * whole;
}
