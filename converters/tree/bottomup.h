/* SPDX-License-Identifier: MIT */
/*
 * bottomup.h - the bottom-up tree: who called what was running (Naganov, "bottom up tree").
 *
 * In: struct tree. Out: the nodes of the tree of the same stacks, each read from its
 * innermost function outwards; one after the other, so that the tree is never held: it may have as
 * many nodes as all stacks have frames. Memory grows with the number of stacks.
 */
#ifndef BOTTOMUP_H
#define BOTTOMUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/* Children of a node are the callers of its function, there. */
struct bottomup_node {
	uint32_t name;
	uint32_t depth;	       /* 0: the function that was running */
	uint64_t weight, hits; /* of stacks that end in this path; at depth 0 the function's self */
	uint64_t outermost;    /* part of weight: stacks that begin with this function */
	bool is_inline;	       /* it is in all of these stacks */
};

struct bottomup;

/* At the beginning. The tree must stay. NULL on error (memory). */
struct bottomup *bottomup_new(const struct tree *t, struct error *err);

/* The next node in preorder, siblings by weight descending, then name bytewise; false after the
 * last one. Stacks without weight are part of it if they are no other's beginning. */
bool bottomup_next(struct bottomup *b, struct bottomup_node *node);

/* Leave out what is below the last node. */
void bottomup_skip(struct bottomup *b);

void bottomup_free(struct bottomup *b);

#endif
