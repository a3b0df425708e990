/* SPDX-License-Identifier: MIT */
/*
 * bottomup.h - the bottom-up tree: who called what was running (Naganov, "bottom up tree").
 *
 * In: struct tree. Out: the nodes of the tree that results if each stack is read from its innermost
 * function outwards.
 *
 * The bottom-up tree may have as many nodes as all stacks together have frames. So it is never held
 * in memory: its nodes are made one after the other, and memory is linear in the number of stacks.
 */
#ifndef BOTTOMUP_H
#define BOTTOMUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/* The children of a node are the callers of its function on this path. */
struct bottomup_node {
	uint32_t name;
	uint32_t depth;	       /* 0 for the function that was running, or the root function */
	uint64_t weight, hits; /* of the stacks that end with this path; at depth 0, self */
	uint64_t outermost;    /* the part of weight whose stacks begin with this function */
	bool is_inline;	       /* the function is inlined in all of these stacks */
};

struct bottomup;

/*
 * Begin a walk. The tree must outlive it. NULL if memory is out.
 *
 * With root functions, n_roots names in t->strings, each stack is cut off below its innermost root
 * function, so that the nodes of depth 0 are root functions: their weights add up to that of all
 * stacks with a root function, and if there is one root function, its weight is its total. Stacks
 * without one take no part.
 */
struct bottomup *bottomup_new(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      struct error *err);

/* Get the next node in preorder. Siblings are sorted by weight descending, then by name bytewise.
 * Returns false after the last node. A stack without weight takes part if no longer stack begins
 * with it. */
bool bottomup_next(struct bottomup *b, struct bottomup_node *node);

/* The weight of the last node in a column of the tree. */
uint64_t bottomup_weight_in(const struct bottomup *b, size_t column);
/* The sum of the squares of the weights that this is the sum of; 0 if the tree has none. */
double bottomup_squares_in(const struct bottomup *b, size_t column);

/* Leave out the subtree below the last node. */
void bottomup_skip(struct bottomup *b);

void bottomup_free(struct bottomup *b);

#endif
