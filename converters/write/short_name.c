/* SPDX-License-Identifier: MIT */
/*
 * short_name.c - wraps names.
 *
 * In: a name of any bytes. Out: the ends of its lines.
 */
#include "write/short_name.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define COLUMNS 32u /* the least number of columns of a line */
#define SQUARE	6.0 /* columns per line of a long name: about three times as wide as high */

/* ---- wrap ------------------------------------------------------------------------------------ */
enum ending { NOWHERE, POOR, GOOD };

/* Whether a line may end before name[i]. */
static enum ending ending_at(const char *name, size_t n, size_t i)
{
	if (name[i] == ' ')
		return NOWHERE;
	if (strchr(" ,;/", name[i - 1]) || (n - i > 1 && memcmp(name + i, "::", 2) == 0))
		return GOOD;
	return strchr("_.-<>(){}", name[i - 1]) && name[i] != name[i - 1] ? POOR : NOWHERE;
}

uint32_t short_name_columns(size_t n)
{
	double columns = sqrt(SQUARE * (double)n);

	return columns > COLUMNS ? (uint32_t)columns : COLUMNS;
}

/* A line ends at its last good place. A good place that would leave half of the line empty counts
 * as a poor one. Without a good place the line ends at its last poor one. Without any place it is
 * longer and ends at the first one that follows, or anywhere when it is twice as long. */
size_t short_name_line(const char *name, size_t n, uint32_t columns)
{
	size_t i = 0, length, best = 0;
	enum ending ending, how = NOWHERE;
	uint32_t column = 0;

	while (i < n) {
		ending = i ? ending_at(name, n, i) : NOWHERE;
		if (ending == GOOD && column < columns / 2)
			ending = POOR;
		if (column > columns && (how != NOWHERE || ending != NOWHERE))
			return how != NOWHERE ? best : i;
		if (column == 2 * columns)
			return i;
		if (ending != NOWHERE && ending >= how && column <= columns) {
			how = ending;
			best = i;
		}
		length = utf8_length(name + i, n - i);
		i += length ? length : 1;
		column++;
	}
	return column > columns && how != NOWHERE ? best : n;
}
