/* SPDX-License-Identifier: MIT */
/*
 * patterns.h - which names are meant by the values of an option such as --focus.
 *
 * In: values as they were given; names. Out: a mark for each name that is meant.
 *
 * What a value means depends on the names that there are. If all of it is a name, it means that
 * one. Else it is split at commas that are not inside () <> [] {}, and name_match.h says which names
 * each part means.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/name_match.h"
#include "base/strings.h"

/* A value that was split, followed by its parts, or a part. */
struct pattern {
	char *text;
	size_t n_parts; /* of a value that was split; 0: this is a part, or a value in one part */
	bool matched;	/* some name, since patterns_forget */
};

/* Begins as all zero. */
struct patterns {
	const char *option; /* "--focus": for messages; borrowed */
	struct pattern *list;
	size_t n, size;
	size_t n_values;
	bool numbers_are_ids; /* a part of digits is a name or nothing, never an expression */
};

/* One more value; a name need match only one. -1: memory. */
int patterns_add(struct patterns *p, const char *value, struct error *err);
void patterns_clear(struct patterns *p);

/* The same values for `to`, which has none yet. -1: memory; there are still none. */
int patterns_copy(struct patterns *to, const struct patterns *from, struct error *err);

/* The i-th value as it was given, NULL behind the last one. */
const char *patterns_value(const struct patterns *p, size_t i);

/*
 * Set marks[number] |= mark for each string that is meant, of those whose mark has NAME_MATCH_NAME;
 * there are n. -1: memory, or a part that is empty or means no name and is not a regular expression
 * either; that is an error of usage.
 */
int patterns_match(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		   unsigned char mark, struct error *err);

/* Is one of the parts this number? It has then matched. */
bool patterns_has_number(struct patterns *p, uint64_t number);

/* Has any value meant any name since the last patterns_forget? The i-th part that has not, NULL
 * behind the last one. */
bool patterns_matched(const struct patterns *p);
const char *patterns_unmatched(const struct patterns *p, size_t i);
void patterns_forget(struct patterns *p);
/* What has matched in a copy of p has matched in p. */
void patterns_join(struct patterns *p, const struct patterns *copy);

#endif
