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

/* The child of a node that was last asked for. */
struct pair_table_latest {
	uint32_t b, number; /* number is PAIR_TABLE_NONE if the node has no child */
};

struct pair_table {
	struct hash_secret secret;
	struct index numbers;
	uint32_t count;
	struct pair_table_latest *latest; /* by parent; only for pair_table_child */
	size_t n_latest, latest_size;
};

/* Returns the number of (a, b); a new pair gets the number `count`. Returns PAIR_TABLE_NONE if
 * memory is out or the table has 2^32 - 1 pairs. A table that is all zero is empty. */
uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b);

/* The same for the nodes of a growing tree. `parent` is 0 for the root, or 1 + the number of the
 * parent's own pair. This costs less than pair_table_number for nodes with one child, as most nodes
 * of deep trees are. Use only one of the two functions on a table. */
static inline uint32_t pair_table_child(struct pair_table *t, uint32_t parent, uint32_t b);
/* Returns the child of that node that was last asked for; its number is PAIR_TABLE_NONE if the node
 * has no child. */
static inline struct pair_table_latest pair_table_latest(const struct pair_table *t,
							 uint32_t parent);

/* Returns the next number, for an entry that no pair leads to; PAIR_TABLE_NONE if none is left. */
uint32_t pair_table_skip(struct pair_table *t);

/* Free what t holds; t is then empty. */
void pair_table_clear(struct pair_table *t);

/* ---- inline functions ---- */

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
