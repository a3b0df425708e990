/* SPDX-License-Identifier: MIT */
/*
 * short_text.c - shortens names of which there is only the text.
 *
 * In: a name of any bytes. Out: a shorter name.
 */
#include "symbols/short_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

size_t short_text_strip(char *to, const char *name, size_t n)
{
	size_t *partner, length = n;

	memmove(to, name, n);
	if (begins_with(name, n, "py::")) /* followed by a function and its file, and no types */
		return n;
	partner = find_partners(name, n);
	if (partner)
		length = strip(to, name, n, partner);
	free(partner);
	return partner ? length : 0;
}
