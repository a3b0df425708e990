/* SPDX-License-Identifier: MIT */
/*
 * patterns.h - which names are meant by the values of an option such as --focus.
 *
 * In: values as they were given; names. Out: a mark for each name that is meant.
 *
 * What a value means depends on the names that there are. If the whole value is a name, it means
 * this name. Otherwise it is split at the commas that are not inside () <> [] {}, and name_match.h
 * says which names each part means.
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
	size_t n_parts; /* of a value that was split; 0: it was not, or this is a part */
	bool matched;	/* it has matched a name since patterns_forget */
};

/* Begins as all zero. */
struct patterns {
	const char *option; /* "--focus": for messages; borrowed */
	struct pattern *list;
	size_t n, size;
	size_t n_values;
	bool numbers_are_ids; /* a part of digits is a name or nothing, never an expression */
};

/* Add a value, of which a name need match only one. -1: memory. */
int patterns_add(struct patterns *p, const char *value, struct error *err);
void patterns_clear(struct patterns *p);

/* The same values for `to`, which has none yet. -1: memory; there are still none. */
int patterns_copy(struct patterns *to, const struct patterns *from, struct error *err);

/* The i-th value as it was given; NULL after the last one. */
const char *patterns_value(const struct patterns *p, size_t i);

/* Set marks[number] |= mark for each string that is meant, of those whose mark has NAME_MATCH_NAME;
 * there are n strings. -1: memory, or an error of usage: a part is empty, or it means no name and is
 * no regular expression either. */
int patterns_match(struct patterns *p, const struct strings *s, unsigned char *marks, size_t n,
		   unsigned char mark, struct error *err);

/* Is one of the parts this number? Then the part counts as matched. */
bool patterns_has_number(struct patterns *p, uint64_t number);

/* Has a value matched a name since the last patterns_forget? The i-th part that has matched none is
 * patterns_unmatched; NULL after the last one. */
bool patterns_matched(const struct patterns *p);
const char *patterns_unmatched(const struct patterns *p, size_t i);
void patterns_forget(struct patterns *p);
/* Values that have matched in a copy of p count as matched in p, too. */
void patterns_join(struct patterns *p, const struct patterns *copy);

#endif
