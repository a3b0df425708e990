/* SPDX-License-Identifier: MIT */
/*
 * patterns.h - finds the names that the values of an option such as --focus mean.
 *
 * In: values as they were given, and names. Out: a mark for each name that is meant.
 *
 * The meaning of a value depends on the names in the profile. If the whole value is a name, it
 * means this name. Otherwise it is split at the commas that are not inside () <> [] {}, and
 * name_match.h says which names each part means.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/name_match.h"
#include "base/strings.h"

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
