/* SPDX-License-Identifier: MIT */
/*
 * name_match.c - finds the names that a user's text means.
 *
 * In: a text and names. Out: marks.
 */
#include "base/name_match.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OF_PATTERNS    "*?["
#define OF_EXPRESSIONS "*?[].(){}+|^$\\"

/* Whether the text means a name of n bytes. Returns 1 or 0, or -1 if memory is out. */
typedef int is_meant(const char *name, size_t n, const void *text);

/* A name is meant if either it or what it is shown as is. */
static int is_one_meant(const struct strings *s, uint32_t number, is_meant *test, const void *text)
{
	size_t n;
	const char *name = strings_get(s, number, &n);
	int meant = test(name, n, text);

	if (meant || strings_other(s, number) == number)
		return meant;
	name = strings_shown(s, number, &n);
	return test(name, n, text);
}

static int mark_all(struct name_match *m, is_meant *test, const void *text)
{
	int found = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		int meant;

		if (!(m->marks[i] & NAME_MATCH_NAME))
			continue;
		meant = is_one_meant(m->strings, i, test, text);
		if (meant < 0)
			return -1;
		if (!meant)
			continue;
		m->marks[i] |= m->mark;
		found = 1;
	}
	return found;
}

bool name_match_whole(struct name_match *m, const char *text)
{
	uint32_t name = strings_find(m->strings, text, strlen(text));
	bool found = false;

	for (uint32_t i = 0; i < m->n && name != STRINGS_NONE; i++) {
		if (!(m->marks[i] & NAME_MATCH_NAME) ||
		    (i != name && strings_other(m->strings, i) != name))
			continue;
		m->marks[i] |= m->mark;
		found = true;
	}
	return found;
}

static int fits_pattern(const char *name, size_t n, const void *text)
{
	(void)n;
	return fnmatch(text, name, 0) == 0;
}

/* A name may contain any byte, so only its length tells where it ends. */
static int has_expression(const char *name, size_t n, const void *regex)
{
	regmatch_t whole = {0, (regoff_t)n};
	int rc = regexec(regex, name, 1, &whole, REG_STARTEND);

	return rc == REG_ESPACE ? -1 : rc == 0;
}

static int has_part(const char *name, size_t n, const void *text)
{
	return memmem(name, n, text, strlen(text)) != NULL;
}

/* Whether the whole text is in one pair of brackets: "[incomplete]", but not "[ab]c" or
 * "[a][b]". */
static bool is_in_brackets(const char *text)
{
	const char *close = *text == '[' ? strchr(text, ']') : NULL;

	return close && !close[1];
}

/* Whether the text is to be a pattern only, because as an expression it would mean all names. An
 * example is z* if no name begins with z. */
static bool is_vacuous(const char *text, const regex_t *regex)
{
	return !strpbrk(text, ".(){}+|^$\\") && has_expression("", 0, regex) == 1;
}

static enum name_match_way mark_expression(struct name_match *m, const char *text)
{
	regex_t regex;
	int rc;

	if (is_in_brackets(text) || !strpbrk(text, OF_EXPRESSIONS))
		return NAME_MATCH_NOTHING;
	rc = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
	if (rc == REG_ESPACE)
		return NAME_MATCH_NO_MEMORY;
	if (rc) {
		regerror(rc, &regex, m->why, sizeof(m->why));
		return NAME_MATCH_WRONG;
	}
	rc = is_vacuous(text, &regex) ? 0 : mark_all(m, has_expression, &regex);
	regfree(&regex);
	if (rc < 0)
		return NAME_MATCH_NO_MEMORY;
	return rc ? NAME_MATCH_EXPRESSION : NAME_MATCH_NOTHING;
}

enum name_match_way name_match(struct name_match *m, const char *text)
{
	enum name_match_way way;

	if (name_match_whole(m, text))
		return NAME_MATCH_WHOLE;
	if (!*text)
		return NAME_MATCH_NOTHING;
	if (strpbrk(text, OF_PATTERNS) && mark_all(m, fits_pattern, text))
		return NAME_MATCH_PATTERN;
	way = mark_expression(m, text);
	if (way != NAME_MATCH_NOTHING && way != NAME_MATCH_WRONG)
		return way;
	return mark_all(m, has_part, text) ? NAME_MATCH_PART : way;
}
