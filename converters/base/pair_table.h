/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - distinct pairs of numbers, numbered 0, 1, 2, ... in order of arrival.
 *
 * Base room. In: (parent, name) of a tree, (caller, callee) of a graph. Out: their numbers.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define PAIRS_NONE UINT32_MAX

struct pairs_slot {
	uint32_t a, b, number; /* number PAIRS_NONE: the slot is free */
};

/* Of a tree's node, the child that was asked for last. */
struct pairs_latest {
	uint32_t b, number; /* number PAIRS_NONE: the node has no child */
};

struct pairs {
	struct hash_secret secret;
	struct pairs_slot *slots;
	size_t n_slots; /* a power of two, or 0 before the first one is needed */
	size_t used;
	uint32_t count;
	struct pairs_latest *latest; /* of pairs_child, by parent */
	size_t n_latest, latest_size;
};

/* The number of (a, b); a new pair gets the number `count`. PAIRS_NONE: out of memory, or 2^32 - 1
 * pairs. A struct pairs begins as all zero. */
uint32_t pairs_number(struct pairs *t, uint32_t a, uint32_t b);

/*
 * The same for a tree that grows: a parent is 0, the root, or 1 + the number of an earlier pair, its
 * node. Costs less than pairs_number where nodes have one child, as most do in deep trees. All pairs
 * of a table must be asked for in the same way.
 */
static inline uint32_t pairs_child(struct pairs *t, uint32_t parent, uint32_t b);
/* The child of that node that was asked for last; number PAIRS_NONE: it has none. */
static inline struct pairs_latest pairs_latest(const struct pairs *t, uint32_t parent);

/* Frees what t holds; t is then empty. */
void pairs_clear(struct pairs *t);

/* ---- what is inlined ---- */

uint32_t pairs_child_other(struct pairs *t, uint32_t parent, uint32_t b);

static inline struct pairs_latest pairs_latest(const struct pairs *t, uint32_t parent)
{
	return parent < t->n_latest ? t->latest[parent]
				    : (struct pairs_latest){.number = PAIRS_NONE};
}

static inline uint32_t pairs_child(struct pairs *t, uint32_t parent, uint32_t b)
{
	const struct pairs_latest latest = pairs_latest(t, parent);

	if (latest.b == b && latest.number != PAIRS_NONE)
		return latest.number;
	return pairs_child_other(t, parent, b);
}

#endif
