/* SPDX-License-Identifier: MIT */
/*
 * name_match.h - which names a user's text means: the one rule for all options and commands.
 *
 * In: a text; names. Out: a mark for each name that is meant.
 *
 * A text is understood in the first of these ways that finds a name:
 *
 *  1. It is the name, and all of it.
 *  2. It has one of the characters * ? [ and is a shell pattern (fnmatch(3)) of the whole name.
 *  3. It has a character that is special in an extended regular expression (regex(7)), and the
 *     expression is found in the name.
 *  4. It is a part of the name.
 *
 * A pattern such as z* that fits no name is not tried as an expression, which would be found in all
 * names because it is found in the empty text.
 *
 * A text that stands in brackets as a whole, "[incomplete]", is never an expression: it would be a
 * set of letters, and nearly all names have one of them.
 */
#ifndef NAME_MATCH_H
#define NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"

/* The mark of a string that is a name. */
#define NAME_MATCH_NAME 128u

/* The names, and where their marks go. */
struct name_match {
	const struct strings *strings;
	unsigned char *marks; /* by number in `strings` */
	size_t n;	      /* of the marks; later strings are no names */
	unsigned char mark;   /* is added to the marks of the names that are meant */
	char why[128];	      /* after NAME_MATCH_WRONG: why the text is no expression */
};

enum name_match_way {
	NAME_MATCH_NOTHING,    /* no name is meant */
	NAME_MATCH_WRONG,      /* likewise, and the text is not even a regular expression */
	NAME_MATCH_WHOLE,      /* the text is a name */
	NAME_MATCH_PATTERN,    /* it is a shell pattern */
	NAME_MATCH_EXPRESSION, /* it is a regular expression */
	NAME_MATCH_PART,       /* it is a part of the names */
	NAME_MATCH_NO_MEMORY,
};

/* Marks the names that the text means, and says how it means them. */
enum name_match_way name_match(struct name_match *m, const char *text);

/* Marks the name that the text is, as a whole, and says whether there is such a name. */
bool name_match_whole(struct name_match *m, const char *text);

#endif
