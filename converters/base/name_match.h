/* SPDX-License-Identifier: MIT */
/*
 * name_match.h - finds the names that a user's text means, by the same rule for all options and
 * commands.
 *
 * In: a text and names. Out: a mark for each name that is meant.
 *
 * A text is understood in the first of these ways that finds a name, as it is or as it is shown
 * (strings_shown):
 *
 *  1. It is the whole name.
 *  2. It has one of the characters * ? [ and is a shell pattern (fnmatch(3)) of the whole name.
 *  3. It has a character that is special in an extended regular expression (regex(7)), and the
 *     expression is found in the name.
 *  4. It is a part of the name.
 *
 * A pattern such as z* that fits no name is not tried as an expression, which would be found in all
 * names because it is found in the empty text.
 *
 * A text that is in brackets as a whole, such as "[incomplete]", is never an expression. As an
 * expression it would be a set of letters, and nearly all names contain one of them.
 */
#ifndef NAME_MATCH_H
#define NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"

/* The mark of a string that is a name. */
#define NAME_MATCH_NAME 128u

/* The names and their marks. */
struct name_match {
	const struct strings *strings;
	unsigned char *marks; /* by number in `strings` */
	size_t n;	      /* number of marks; strings with higher numbers are not names */
	unsigned char mark;   /* added to the marks of the names that are meant */
	char why[128];	      /* after NAME_MATCH_WRONG: the error in the expression */
};

enum name_match_way {
	NAME_MATCH_NOTHING, /* no name is meant */
	NAME_MATCH_WRONG,   /* no name is meant, and the text is not a valid regular expression */
	NAME_MATCH_WHOLE,   /* the text is a name */
	NAME_MATCH_PATTERN, /* the text is a shell pattern */
	NAME_MATCH_EXPRESSION, /* the text is a regular expression */
	NAME_MATCH_PART,       /* the text is a part of the names */
	NAME_MATCH_NO_MEMORY,
};

/* Mark the names that the text means. Returns which of the ways found them. */
enum name_match_way name_match(struct name_match *m, const char *text);

/* Mark the names that are equal to the text, or shown as it. Returns whether there is one. */
bool name_match_whole(struct name_match *m, const char *text);

#endif
