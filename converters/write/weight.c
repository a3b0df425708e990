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

/* The first count that has more digits than WEIGHT_WIDTH. */
#define COUNT_MANY UINT64_C(1000000000000)

static const struct weight_scale times[] = {
	{1e9, " s", WEIGHT_WIDTH},
	{1e6, " ms", WEIGHT_WIDTH},
	{1e3, " us", WEIGHT_WIDTH},
	{1, " ns", WEIGHT_WIDTH},
};

static const struct weight_scale sizes[] = {
	{1e9, " GB", WEIGHT_WIDTH},
	{1e6, " MB", WEIGHT_WIDTH},
	{1e3, " KB", WEIGHT_WIDTH},
	{1, " B", WEIGHT_WIDTH},
};

static struct weight_scale time_scale(unsigned __int128 largest)
{
	size_t i = 0;

	while (i < 3 && (double)largest < times[i].divisor)
		i++;
	return times[i];
}

/* Thousands of millions and more, for counts that do not fit their column. */
static const struct weight_scale many[] = {
	{1e9, " G", WEIGHT_WIDTH},  {1e12, " T", WEIGHT_WIDTH}, {1e15, " P", WEIGHT_WIDTH},
	{1e18, " E", WEIGHT_WIDTH}, {1e21, " Z", WEIGHT_WIDTH}, {1e24, " Y", WEIGHT_WIDTH},
};

/* The least unit in which the largest count fits its column: 999999.999 G. */
static struct weight_scale count_scale(unsigned __int128 largest)
{
	size_t i = 0;

	if (largest < COUNT_MANY)
		return (struct weight_scale){1, "", WEIGHT_WIDTH};
	while (i < sizeof(many) / sizeof(*many) - 1 && (double)largest / many[i].divisor >= 999999)
		i++;
	return many[i];
}

bool weight_is_time(const struct profile *p)
{
	return profile_text_is(p, p->unit, "ns");
}

bool weight_is_cpu(const struct profile *p)
{
	return weight_is_time(p) && profile_text_is(p, p->resource, "cpu");
}

static bool is_scaled(const char *unit)
{
	return strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0;
}

bool weight_is_scaled(const struct profile *p)
{
	return p->unit != STRINGS_NONE && is_scaled(strings_get(p->strings, p->unit, NULL));
}

/* Whatever has neither scale is a count. */
static struct weight_scale unit_scale(const char *unit, unsigned __int128 largest)
{
	size_t i = 0;

	if (strcmp(unit, "ns") == 0)
		return time_scale(largest);
	if (strcmp(unit, "bytes") != 0)
		return count_scale(largest);
	while (i < 3 && (double)largest < sizes[i].divisor)
		i++;
	return sizes[i];
}

struct weight_scale weight_scale(const struct profile *p, enum tree_unit unit,
				 unsigned __int128 largest)
{
	const char *name = unit == TREE_HITS || p->unit == STRINGS_NONE
				   ? ""
				   : strings_get(p->strings, p->unit, NULL);
	struct weight_scale scale = unit_scale(name, largest);
	char text[WEIGHT_BYTES];
	int width = (int)strlen(weight_text(text, scale, largest));

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
	if (scale.divisor > 1)
		snprintf(text, WEIGHT_BYTES, "%.3f%s", (double)weight / scale.divisor,
			 scale.suffix);
	else
		snprintf(text, WEIGHT_BYTES, "%" PRIu64 "%s", (uint64_t)weight, scale.suffix);
	return text;
}

const char *weight_alone(char text[WEIGHT_BYTES], const struct profile *p, uint64_t weight)
{
	return weight_text(text, weight_scale(p, TREE_GTICKS, weight), weight);
}

/* "switches" and "misses", unlike "calls" and "cycles" */
static bool ends_in_es(const char *unit, size_t n)
{
	return n > 4 && (strcmp(unit + n - 4, "ches") == 0 || strcmp(unit + n - 4, "sses") == 0);
}

/* A count with its unit, which is a plural. */
static const char *counted(char text[WEIGHT_BYTES], const char *unit, uint64_t weight)
{
	size_t n = strlen(unit);

	if (weight == 1 && n > 1 && unit[n - 1] == 's')
		n -= ends_in_es(unit, n) ? 2 : 1;
	snprintf(text, WEIGHT_BYTES, "%" PRIu64 " %.*s", weight, n < 20 ? (int)n : 20, unit);
	return text;
}

const char *weight_with_unit(char text[WEIGHT_BYTES], const char *unit, uint64_t weight)
{
	struct weight_scale scale = unit_scale(unit, weight);

	return is_scaled(unit) ? weight_text(text, scale, weight) : counted(text, unit, weight);
}

bool weight_shows_more(const char *unit, uint64_t a, uint64_t b)
{
	char one[WEIGHT_BYTES], other[WEIGHT_BYTES];

	return a > b && strcmp(weight_with_unit(one, unit, a), weight_with_unit(other, unit, b));
}

const char *weight_brief(char text[WEIGHT_BYTES], const char *unit, uint64_t weight)
{
	struct weight_scale scale = unit_scale(unit, weight);
	double value = (double)weight / scale.divisor;

	if (scale.divisor > 1)
		snprintf(text, WEIGHT_BYTES, "%.*f%s",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, scale.suffix);
	else
		snprintf(text, WEIGHT_BYTES, value < 1e8 ? "%.0f%s" : "%.1e%s", value,
			 scale.suffix);
	return text;
}

/* A size that is chosen, not measured. */
static const char *binary(char text[WEIGHT_BYTES], uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	for (; bytes && bytes % 1024 == 0 && i < 4; i++)
		bytes /= 1024;
	snprintf(text, WEIGHT_BYTES, "%" PRIu64 " %s", bytes, units[i]);
	return text;
}

const char *weight_interval(char text[WEIGHT_BYTES], const char *unit, uint64_t weight)
{
	struct weight_scale scale = unit_scale(unit, weight);

	if (!is_scaled(unit))
		return counted(text, unit, weight);
	if (strcmp(unit, "bytes") == 0)
		return binary(text, weight);
	snprintf(text, WEIGHT_BYTES, "%.10g%s", (double)weight / scale.divisor, scale.suffix);
	return text;
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
