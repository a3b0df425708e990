/* SPDX-License-Identifier: MIT */
/*
 * bottomup.h - the tree from the leaves: subtrees that are merged, and walks without building it.
 */
#ifndef TREE_BOTTOMUP_H
#define TREE_BOTTOMUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "tree/tree.h"

/* ---- subtree --------------------------------------------------------------------------------- */
/*
 * The sample tree below some root functions (Hall & Goldberg, section 5.3: its root "has the name
 * of the root function").
 *
 * In: struct tree and root functions. Out: struct tree.
 */

/*
 * Build the tree of all stacks cut off above their outermost root function. `roots` are n_roots
 * names in t->strings. A stack without a root function is not in the tree, but it still counts in
 * the tree's total. If t has columns, so has the new tree. Time is linear in t. The new tree borrows what t borrows; tree_free it. NULL if
 * memory is out.
 */
struct tree *subtree_build(const struct tree *t, const uint32_t *roots, size_t n_roots,
			   struct error *err);

/* ---- upward order ---------------------------------------------------------------------------- */
/*
 * The nodes of the sample tree in the order of their callers.
 *
 * In: struct tree. Out: an array in which nodes with the same callers stand side by side.
 *
 * The text of a node is its name, its parent's, its grandparent's and so on, up to the outermost
 * function or to the first name that comes a second time, which is not in the text. Nodes are
 * sorted by their texts, as a suffix array sorts the ends of a string (Manber and Myers 1993); a
 * tree whose nodes are read towards the root has one such text for each node (Kosaraju 1989). Each
 * round of sorting doubles the number of names that count. So time and memory are those of the tree
 * times the binary logarithm of the longest text.
 */

struct upward_order {
	uint32_t n;	  /* nodes, without the root */
	uint32_t *order;  /* nodes, sorted */
	uint32_t *place;  /* by node: where it is in `order` */
	uint32_t *reach;  /* by node: the number of names in its text */
	uint32_t *common; /* by place: with how many equal names the texts of this node and of the
			   * one before begin; 0 for the first place, and one past the last */
	/* By place: the stacks of this node and of the one before have different names behind the
	 * common ones, or one of the stacks ends there; else both texts end because of the same
	 * name. */
	bool *differs;
};

/* Sort; texts have at most `longest` names if that is not 0. -1: memory. upward_order_free in any
 * case. */
int upward_order_begin(struct upward_order *u, const struct tree *t, uint64_t longest,
		       struct error *err);
void upward_order_free(struct upward_order *u);

/* ---- bottomup -------------------------------------------------------------------------------- */
/*
 * The bottom-up tree: who called what was running (Naganov, "bottom up tree").
 *
 * In: struct tree. Out: the nodes of the tree that results if each stack is read from its innermost
 * function outwards.
 *
 * The bottom-up tree may have as many nodes as all stacks together have frames. So it is never held
 * in memory: its nodes are made one after the other, and memory is linear in the number of stacks.
 */

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
