/* SPDX-License-Identifier: MIT */
/*
 * pair_table.h - distinct pairs of numbers, numbered 0, 1, 2, ... in order of arrival.
 *
 * In: (parent, name) of a tree, (caller, callee) of a graph. Out: their numbers.
 */
#ifndef PAIR_TABLE_H
#define PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/index.h"

#define PAIR_TABLE_NONE UINT32_MAX

/* The child of a tree's node that was asked for last. */
struct pair_table_latest {
	uint32_t b, number; /* PAIR_TABLE_NONE: the node has no child */
};

struct pair_table {
	struct hash_secret secret;
	struct index numbers;
	uint32_t count;
	struct pair_table_latest *latest; /* for pair_table_child, by parent */
	size_t n_latest, latest_size;
};

/* The number of (a, b); a new pair gets the number `count`. PAIR_TABLE_NONE: memory is out, or the
 * table has 2^32 - 1 pairs. A struct pair_table begins as all zero. */
uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b);

/* The same for a tree that grows. A parent is 0, the root, or 1 + the number of an earlier pair,
 * which is its node. This costs less than pair_table_number where nodes have one child, as most
 * nodes of deep trees do. All pairs of a table must be asked for in the same way. */
static inline uint32_t pair_table_child(struct pair_table *t, uint32_t parent, uint32_t b);
/* The child of that node that was asked for last; number PAIR_TABLE_NONE: it has none. */
static inline struct pair_table_latest pair_table_latest(const struct pair_table *t,
							 uint32_t parent);

/* The next number, for something that is not found by a pair. PAIR_TABLE_NONE: there is none left. */
uint32_t pair_table_skip(struct pair_table *t);

/* Free what t holds; t is then empty. */
void pair_table_clear(struct pair_table *t);

/* ---- what is inlined ---- */

uint32_t pair_table_child_other(struct pair_table *t, uint32_t parent, uint32_t b);

static inline struct pair_table_latest pair_table_latest(const struct pair_table *t,
							 uint32_t parent)
{
	return parent < t->n_latest ? t->latest[parent]
				    : (struct pair_table_latest){.number = PAIR_TABLE_NONE};
}

static inline uint32_t pair_table_child(struct pair_table *t, uint32_t parent, uint32_t b)
{
	const struct pair_table_latest latest = pair_table_latest(t, parent);

	if (latest.b == b && latest.number != PAIR_TABLE_NONE)
		return latest.number;
	return pair_table_child_other(t, parent, b);
}

#endif
