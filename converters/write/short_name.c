/* SPDX-License-Identifier: MIT */
/*
 * short_name.c - shortens and wraps names.
 *
 * In: a name of any bytes. Out: a shorter name, and the ends of its lines.
 */
#include "write/short_name.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define COLUMNS 32u /* the least number of columns of a line */
#define SQUARE	6.0 /* columns per line of a long name: about three times as wide as high */

/* ---- strip ----------------------------------------------------------------------------------- */

/* Find the open bracket that a closing one belongs to. Brackets that were opened after it have no
 * partner, because "<" may be an operator. Returns n_open if there is no such bracket. */
static size_t partner_of(const char *name, size_t i, const size_t *open, size_t n_open)
{
	size_t k = n_open;

	if (name[i] == '>')
		return k > 0 && name[open[k - 1]] == '<' ? k - 1 : n_open;
	while (k > 0 && name[open[k - 1]] != '(')
		k--;
	return k > 0 ? k - 1 : n_open;
}

/* For each opening bracket in the name, find where its partner is; 0: it has none. The ">" of an
 * arrow is no bracket. */
static size_t *find_partners(const char *name, size_t n)
{
	size_t *partner = calloc(n + 1, sizeof(*partner));
	size_t *open = calloc(n + 1, sizeof(*open)), n_open = 0, i, k;

	for (i = 0; partner && open && i < n; i++) {
		if (name[i] == '(' || name[i] == '<')
			open[n_open++] = i;
		if (name[i] != ')' && (name[i] != '>' || (i > 0 && name[i - 1] == '-')))
			continue;
		k = partner_of(name, i, open, n_open);
		if (k < n_open)
			partner[open[k]] = i;
		else if (name[i] == ')')
			k = 0; /* nothing that is open can be closed beyond this */
		n_open = k;
	}
	if (!open) {
		free(partner);
		partner = NULL;
	}
	free(open);
	return partner;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t length = strlen(end);

	return n >= length && memcmp(text + n - length, end, length) == 0;
}

static bool begins_with(const char *text, size_t n, const char *begin)
{
	size_t length = strlen(begin);

	return n >= length && memcmp(text, begin, length) == 0;
}

/* Whether these brackets hold arguments or parameters of the name that has been written before
 * them. */
static bool is_of(const char *before, size_t n, char bracket)
{
	unsigned char last = n ? (unsigned char)before[n - 1] : 0;

	if (ends_with(before, n, "operator"))
		return false;
	if (bracket == '<' && ends_with(before, n, "::"))
		return n > 2; /* Rust's f::<T> */
	if (bracket == '<' && ends_with(before, n, "< "))
		return true; /* operator< <T> */
	return last && (isalnum(last) || last >= 0x80 || strchr("_)>}]~<=+-*/%^&|!,", last));
}

/* The number of bytes that qualifiers take after a function's arguments. */
static size_t qualifiers(const char *text, size_t n)
{
	static const char *const known[] = {" const", " volatile", " &&", " &", " noexcept"};
	size_t done = 0, i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (begins_with(text + done, n - done, known[i]))
			done += strlen(known[i]);
	return done;
}

static size_t strip(char *to, const char *name, size_t n, const size_t *partner)
{
	size_t i = 0, length = 0;

	while (i < n) {
		bool parenthesis = name[i] == '(';

		if (!partner[i] || !is_of(to, length, name[i])) {
			to[length++] = name[i++];
			continue;
		}
		if (ends_with(to, length, "::"))
			length -= 2;
		if (ends_with(to, length, "< "))
			length--;
		i = partner[i] + 1;
		if (parenthesis)
			i += qualifiers(name + i, n - i);
	}
	return length;
}

size_t short_name_strip(char *to, const char *name, size_t n)
{
	size_t *partner, length = n;

	memcpy(to, name, n);
	if (begins_with(name, n, "py::")) /* followed by a function and its file, and no types */
		return n;
	partner = find_partners(name, n);
	if (partner)
		length = strip(to, name, n, partner);
	free(partner);
	return partner ? length : 0;
}

/* ---- wrap ------------------------------------------------------------------------------------ */
enum ending { NOWHERE, POOR, GOOD };

/* Whether a line may end before name[i]. */
static enum ending ending_at(const char *name, size_t n, size_t i)
{
	if (name[i] == ' ')
		return NOWHERE;
	if (strchr(" ,;/", name[i - 1]) || begins_with(name + i, n - i, "::"))
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
