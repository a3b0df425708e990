/* SPDX-License-Identifier: MIT */
/*
 * assertion.c - understands what a user claims that a program uses.
 *
 * In: a text. Out: struct assertion.
 */
#include "compare/assertion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units of weights, and what they are in gticks. */
static const struct {
	const char *text, *gtick;
	double factor;
} units[] = {
	{"ns", "ns", 1},      {"us", "ns", 1e3},    {"ms", "ns", 1e6},
	{"s", "ns", 1e9},     {"B", "bytes", 1},    {"KB", "bytes", 1e3},
	{"MB", "bytes", 1e6}, {"GB", "bytes", 1e9}, {"", NULL, 1},
};

static int refuse(const struct assertion *a, struct error *err)
{
	return error_usage(err,
			   "--assert %s: write it as NAME<=10%%, total(NAME)<=20ms, or "
			   "total(NAME)<=1.05*base; total alone is the whole program",
			   a->text);
}

/* The last < or > begins the comparison, since a name may have some, and what follows has none. */
static const char *find_sign(const char *text)
{
	const char *less = strrchr(text, '<'), *more = strrchr(text, '>');

	return !less || (more && more > less) ? more : less;
}

/* Whether the text is WORD(...), whose inside it becomes. */
static bool take_call(const char *word, const char **text, size_t *n)
{
	size_t length = strlen(word);

	if (*n < length + 2 || memcmp(*text, word, length) != 0 || (*text)[length] != '(' ||
	    (*text)[*n - 1] != ')')
		return false;
	*text += length + 1;
	*n -= length + 2;
	return true;
}

static void trim(const char **text, size_t *n)
{
	for (; *n && **text == ' '; (*n)--)
		(*text)++;
	while (*n && (*text)[*n - 1] == ' ')
		(*n)--;
}

static int parse_left(struct assertion *a, const char *text, size_t n, struct error *err)
{
	trim(&text, &n);
	if (n == strlen("total") && memcmp(text, "total", n) == 0) {
		a->of = ASSERTION_ALL;
		return 0;
	}
	if (take_call("total", &text, &n))
		a->of = ASSERTION_TOTAL;
	else if (take_call("self", &text, &n))
		a->of = ASSERTION_SELF;
	trim(&text, &n);
	if (!n)
		return refuse(a, err);
	a->name = strndup(text, n);
	return a->name ? 0 : error_memory(err);
}

static int parse_unit(struct assertion *a, const char *text, size_t n)
{
	if (n == 1 && *text == '%') {
		a->against = ASSERTION_SHARE;
		a->limit /= 100;
		return 0;
	}
	if (n == strlen("*base") && memcmp(text, "*base", n) == 0) {
		a->against = ASSERTION_BASE;
		return 0;
	}
	a->against = ASSERTION_AMOUNT;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (n != strlen(units[i].text) || memcmp(text, units[i].text, n) != 0)
			continue;
		a->limit *= units[i].factor;
		a->unit = units[i].gtick;
		return 0;
	}
	return -1;
}

static int parse_right(struct assertion *a, const char *text, struct error *err)
{
	size_t n = strlen(text);
	char *end;

	trim(&text, &n);
	if (n == strlen("base") && memcmp(text, "base", n) == 0) {
		a->against = ASSERTION_BASE;
		a->limit = 1;
		return 0;
	}
	a->limit = strtod(text, &end);
	if (end == text || !isfinite(a->limit) || a->limit < 0)
		return refuse(a, err);
	n -= (size_t)(end - text);
	text = end;
	trim(&text, &n);
	return parse_unit(a, text, n) ? refuse(a, err) : 0;
}

int assertion_parse(struct assertion *a, const char *text, struct error *err)
{
	const char *sign = find_sign(text), *value;

	*a = (struct assertion){.text = text};
	if (!sign)
		return refuse(a, err);
	a->is_least = *sign == '>';
	a->is_strict = sign[1] != '=';
	value = sign + (a->is_strict ? 1 : 2);
	if (parse_left(a, text, (size_t)(sign - text), err))
		return -1;
	return parse_right(a, value, err);
}

void assertion_free(struct assertion *a)
{
	free(a->name);
	a->name = NULL;
}
