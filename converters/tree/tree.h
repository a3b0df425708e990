/* SPDX-License-Identifier: MIT */
/*
 * tree.h - the sample tree (Hall & Goldberg, section 5.3): call paths by function name.
 *
 * Built from the profile's tree of addresses; recursion is kept. All views read it.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/profile.h"
#include "symbols/symbols.h"
#include "tree/filter.h"

enum tree_unit { TREE_GTICKS, TREE_HITS };

/* Nodes are in preorder: a subtree is a range of indices, [i, nodes[i].end). Node 0 is the root,
 * above every outermost function, without name. Siblings: by total descending, then name
 * bytewise. */
struct tree_node {
	uint32_t parent;
	uint32_t end;		  /* one past the last node of the subtree */
	uint32_t depth;		  /* 0 for an outermost function; the root's is UINT32_MAX */
	uint32_t name;		  /* in tree.strings */
	uint64_t self, total;	  /* in the tree's unit */
	uint64_t self_hits, hits; /* raw samples, self and total */
};

struct tree {
	const struct strings *strings; /* borrowed from the profile */
	enum tree_unit unit;
	const struct filter *filter; /* what it was built with; NULL: nothing is left out */
	struct tree_node *nodes;
	size_t n_nodes;
	/* What 100 % is: all samples of the profile, those too that the filter has dropped. What is
	 * left are those of nodes[0]. In the tree's unit, and raw samples. */
	uint64_t total, hits;
	bool has_places; /* names say places in functions (symbols.h) */
	bool *inlined;	 /* by node, see tree_is_inline; NULL if none is */
};

struct tree_options {
	enum tree_unit unit;
	struct filter *filter; /* NULL: none. It must outlive the tree, and be cleared after it */
};

/* One weight per function name. Each stack counts once (Naganov). */
struct tree_function {
	uint32_t name;
	bool is_inline;	   /* all its nodes are */
	bool is_innermost; /* of some stack, be it one without weight */
	uint64_t self, total, self_hits, hits;
};

/* -> NULL on error (memory, overflow; of usage: the filter's expressions). symbols may be NULL if
 * the profile is by_name throughout. A value of the filter that means no function is no error here:
 * patterns_unmatched. */
struct tree *tree_build(const struct profile *p, struct symbols *s,
			const struct tree_options *options, struct error *err);
void tree_free(struct tree *t);

/* Says whether the compiler has inlined the node's function into its caller in all stacks that the
 * node stands for. */
bool tree_is_inline(const struct tree *t, size_t node);

/* All functions, unsorted, *n of them; free() the array. A function's total is the sum over its
 * nodes without an equally named ancestor. NULL on error. */
struct tree_function *tree_functions(const struct tree *t, size_t *n, struct error *err);

/* Frames of the deepest stack. */
uint32_t tree_height(const struct tree *t);

/* The next node after i that is not in i's subtree is nodes[i].end; its first child is i + 1 if
 * that is below nodes[i].end. */

#endif
