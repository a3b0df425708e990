/* SPDX-License-Identifier: MIT */
/*
 * patterns.h - finds the names that a user's text means.
 */
#ifndef BASE_PATTERNS_H
#define BASE_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/stop.h"

/* ---- name match ------------------------------------------------------------------------------ */
/*
 * Finds the names that a user's text means, by the same rule for all options and commands.
 *
 * In: a text and names. Out: a mark for each name that is meant.
 *
 * A text is understood in the first of these ways that finds a name, as it is or as it is shown
 * (strings_shown):
 *
 *  1. It is the whole name, or if there is none, all of it but the file behind it, as "main" is of "main (p.py)".
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
	NAME_MATCH_WHOLE,   /* the text is a name, or one name but for its file */
	NAME_MATCH_PATTERN, /* the text is a shell pattern */
	NAME_MATCH_EXPRESSION, /* the text is a regular expression */
	NAME_MATCH_PART, /* the text is a part of the names, or several names but for their files */
	NAME_MATCH_NO_MEMORY,
};

/* Mark the names that the text means. Returns which of the ways found them. */
enum name_match_way name_match(struct name_match *m, const char *text);

/* ---- patterns -------------------------------------------------------------------------------- */
/*
 * Finds the names that the values of an option such as --focus mean.
 *
 * In: values as they were given, and names. Out: a mark for each name that is meant.
 *
 * The meaning of a value depends on the names in the profile. If the whole value is a name, it
 * means this name. Otherwise it is split at the commas that are not inside () <> [] {}, and
 * The rule above says which names each part means.
 */

/* A value, or a part of a value that was split. The parts follow their value. */
struct pattern {
	char *text;
	size_t n_parts; /* number of parts of a value that was split; 0 for others and for a part */
	bool matched;	/* it has matched a name since patterns_forget */
};

/* A struct patterns that is all zero has no values. */
struct patterns {
	const char *option; /* for messages, such as "--focus"; borrowed */
	struct pattern *list;
	size_t n, size;
	size_t n_values;
	bool numbers_are_ids; /* a part that consists of digits is a whole name or nothing */
};

/* Add a value. A name is meant if any value means it. Returns -1 if memory is out. */
int patterns_add(struct patterns *p, const char *value, struct error *err);
void patterns_clear(struct patterns *p);

/* Copy the values to `to`, which has none yet. Returns -1 if memory is out; `to` then has none. */
int patterns_copy(struct patterns *to, const struct patterns *from, struct error *err);

/* Returns the i-th value as it was given, or NULL after the last one. */
const char *patterns_value(const struct patterns *p, size_t i);

/* Set marks[number] |= mark for each string that is meant. Of the n strings, those are names whose
 * mark has NAME_MATCH_NAME. Returns -1 if memory is out, or for an error of usage: a part is empty,
 * or it means no name and is not a valid regular expression. */
int patterns_match(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		   unsigned char mark, struct error *err);

/* Files, which a text may mean beside names. */
struct patterns_files {
	/* Marks what the text means in its own way. Returns 1; 0 if the text means no file; -1 for an error. */
	int (*mark)(void *context, const char *text, struct error *err);
	void *context;
	bool are_names; /* names are those of files: a file is looked for before a whole name is, too */
};

/* Whether a text is looked for among files before it is taken for a pattern or a part of names: it has a dot or a
 * slash, begins with "lib", or is in brackets as a whole. Other texts may mean a file if they mean no name. */
bool patterns_is_file(const char *text);

/* As patterns_match, but a part that is no whole name may mean files. `files` may be NULL. */
int patterns_match_or(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		      unsigned char mark, const struct patterns_files *files, struct error *err);

/* Whether one of the parts is this number. If so, the part counts as matched. */
bool patterns_has_number(struct patterns *p, uint64_t number);

/* patterns_matched says whether any value has matched a name since the last patterns_forget.
 * patterns_unmatched returns the i-th part that has matched none, or NULL after the last one. */
bool patterns_matched(const struct patterns *p);
const char *patterns_unmatched(const struct patterns *p, size_t i);
void patterns_forget(struct patterns *p);
/* Count values that have matched in a copy of p as matched in p, too. */
void patterns_join(struct patterns *p, const struct patterns *copy);

#endif
