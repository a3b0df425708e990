/* SPDX-License-Identifier: MIT */
/*
 * bars.c - draws bars of text along a time axis.
 *
 * In: weights by slices of time. Out: lines, and which part of the axis is worth a look.
 */
#include "write/bars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL	  25
#define LEAST	  12
#define TICK	  14   /* columns from one time to the next */
#define NOTHING	  0.01 /* of the largest value */
#define DIGITS_OF 6

static bool speaks_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void bars_begin(struct bars *b, struct out *o, uint64_t begin_ns, uint64_t from_ns, uint64_t to_ns)
{
	int width = out_width(o) ? out_width(o) : out_text_width(o);

	*b = (struct bars){
		.out = o,
		.begin_ns = begin_ns,
		.from_ns = from_ns,
		.to_ns = to_ns > from_ns ? to_ns : from_ns + 1,
		.label = LABEL,
		.n = width - LABEL - 3,
		.is_utf8 = speaks_utf8(),
	};
	b->n = b->n < LEAST ? LEAST : b->n > BARS_MOST ? BARS_MOST : b->n;
}

static uint64_t time_of(const struct bars *b, int column)
{
	unsigned __int128 all = b->to_ns - b->from_ns;

	return b->from_ns + (uint64_t)(all * (unsigned)column / (unsigned)b->n);
}

int bars_column(const struct bars *b, uint64_t ns)
{
	unsigned __int128 part;

	if (ns <= b->from_ns)
		return 0;
	part = ns - b->from_ns;
	if (part >= b->to_ns - b->from_ns)
		return b->n - 1;
	return (int)(part * (unsigned)b->n / (b->to_ns - b->from_ns));
}

double bars_seconds(const struct bars *b, int column)
{
	return (double)(time_of(b, column) - b->begin_ns) / 1e9;
}

int bars_digits(const struct bars *b)
{
	double column = (double)(b->to_ns - b->from_ns) / 1e9 / b->n;
	int digits = 1;

	for (; digits < DIGITS_OF && column < 2; digits++)
		column *= 10;
	return digits;
}

void bars_fill(const struct bars *b, double values[BARS_MOST], const struct slices *s)
{
	for (int i = 0; i < b->n; i++) {
		uint64_t from = time_of(b, i), to = time_of(b, i + 1);

		values[i] = to > from ? slices_between(s, from, to) / (double)(to - from) : 0;
	}
}

/* Whoever used something has a mark, however small. */
void bars_write(const struct bars *b, const double values[BARS_MOST], double whole)
{
	static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};

	out_text(b->out, "|");
	for (int i = 0; i < b->n; i++) {
		double eighths = whole > 0 ? values[i] / whole * 8 : 0;
		int level = eighths >= 8 ? 8 : (int)(eighths + 0.5);

		level = level == 0 && eighths > 0.02 ? 1 : level;
		out_text(b->out, (b->is_utf8 ? blocks : plain)[level]);
	}
	out_text(b->out, "|\n");
}

void bars_axis(const struct bars *b)
{
	int digits = bars_digits(b), used = 0;
	char text[64];

	out_format(b->out, "%*s ", b->label, "seconds");
	for (int i = 0; i < b->n; i += TICK) {
		int n = snprintf(text, sizeof(text), "'%.*f", digits, bars_seconds(b, i));

		if (i + n > b->n + 1)
			break;
		out_format(b->out, "%*s%s", i - used, "", text);
		used = i + n;
	}
	out_text(b->out, "\n");
}

double bars_half(const struct bars *b, const double values[BARS_MOST], int *from, int *to)
{
	double all = 0, part = 0, best = 0;
	int first = 0;

	*from = 0;
	*to = b->n;
	for (int i = 0; i < b->n; i++)
		all += values[i];
	for (int i = 0; i < b->n && all > 0; i++) {
		part += values[i];
		for (; part - values[first] >= all / 2; first++)
			part -= values[first];
		if (part < all / 2 || i + 1 - first > *to - *from ||
		    (i + 1 - first == *to - *from && part <= best))
			continue;
		*from = first;
		*to = i + 1;
		best = part;
	}
	return all > 0 ? best / all : 0;
}

void bars_idle(const struct bars *b, const double values[BARS_MOST], int *from, int *to)
{
	double most = 0;
	int begin = 0;

	*from = *to = 0;
	for (int i = 0; i < b->n; i++)
		most = values[i] > most ? values[i] : most;
	for (int i = 0; i < b->n; i++) {
		if (values[i] > most * NOTHING)
			begin = i + 1;
		else if (i + 1 - begin > *to - *from) {
			*from = begin;
			*to = i + 1;
		}
	}
}
