/* SPDX-License-Identifier: MIT */
/*
 * tree.h - builds the sample tree of functions from the profile.
 *
 * In: a profile, whose tree has addresses. Out: struct tree, whose nodes have function names.
 *
 * Recursion is kept: each frame of a stack has its node. All views of stacks read this tree.
 */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "model/profile.h"
#include "symbols/symbols.h"
#include "tree/tree_fold.h"

enum tree_unit { TREE_GTICKS, TREE_HITS };

/* Nodes are in preorder, so that a subtree is a range of indices, [i, nodes[i].end). Node 0 is the
 * root. It has no name, and its children are the outermost functions. Siblings are sorted by total
 * descending, then by name bytewise. */
struct tree_node {
	uint32_t parent;
	uint32_t end;		  /* one past the last node of the subtree */
	uint32_t depth;		  /* 0 for an outermost function; the root's is UINT32_MAX */
	uint32_t name;		  /* in tree.strings */
	uint64_t self, total;	  /* in the tree's unit */
	uint64_t self_hits, hits; /* raw samples, self and total */
};

/* The sums of the squared weights of samples, in the tree's unit: of self and of total. */
struct tree_squares {
	double self, total;
};

struct tree {
	const struct strings *strings; /* borrowed from the profile */
	enum tree_unit unit;
	const struct filter *filter; /* the filter it was built with; NULL: nothing is left out */
	struct tree_node *nodes;
	size_t n_nodes;
	/* All samples of the profile, in the tree's unit and as raw samples: this is 100 %. It
	 * includes the samples that the filter has dropped; the sums of the others are in
	 * nodes[0]. */
	uint64_t total, hits;
	bool has_places;	      /* names contain places in functions (symbols.h) */
	bool *inlined;		      /* by node, see tree_is_inline; NULL if no node is inlined */
	struct tree_squares *squares; /* by node; NULL if the profile has none */
	double total_squares;	      /* of all samples of the profile */
	/* If the profile has columns, this tree has the weights of the first one, and these have those
	 * of the others. They have the same nodes; siblings are in the order of the first one that
	 * tells them apart. */
	struct tree *others;
	size_t n_others;
	/* By name: the module that has the function + 1, 0: none. Names beyond the list have none. */
	uint32_t *modules;
	size_t n_modules;
	unsigned char *origins; /* by name, see tree_origin */
	size_t n_origins;
	size_t n_focused; /* functions that values of the filter's --focus mean by their names */
	/* By node of the profile: the node of the tree that has its samples, TREE_NO_NODE if the filter has dropped
	 * them. NULL unless the profile has moments, which say what happened at the former, or there is a filter. */
	uint32_t *of_profile;
};

#define TREE_SEVERAL_MODULES UINT32_MAX
#define TREE_NO_NODE	     UINT32_MAX

/* The tree of a column. */
static inline const struct tree *tree_column(const struct tree *t, size_t column)
{
	return column ? &t->others[column - 1] : t;
}

struct tree_options {
	enum tree_unit unit;
	struct filter *filter; /* or NULL; it must outlive the tree, and the caller clears it */
};

/* The weights of a function. Each stack counts once, also if the function recurs (Naganov). */
struct tree_function {
	uint32_t name;
	bool is_inline;	   /* all nodes of the function are inlined */
	bool is_innermost; /* it is innermost in a stack, possibly in one without weight */
	uint64_t self, total, self_hits, hits;
};

/* Build the tree. s may be NULL if all frames of the profile have names. Returns NULL on error
 * (memory, overflow, a wrong expression in the filter). It is no error here if a value of the
 * filter means no function; patterns_unmatched tells. */
struct tree *tree_build(const struct profile *p, struct symbols *s,
			const struct tree_options *options, struct error *err);
void tree_free(struct tree *t);

/* Whether the compiler has inlined the node's function into its caller in all stacks that the node
 * stands for. */
bool tree_is_inline(const struct tree *t, size_t node);

/* Whose the functions of that name are. */
enum tree_origin tree_origin(const struct tree *t, uint32_t name);

/* How much a function tells of a chain of calls: one of the program the most, and rather one that was not inlined. 0: it is of a
 * library, and tells nothing. */
unsigned tree_tells(const struct tree *t, uint32_t name, bool is_inline);

/* Whether that is the name of a function, and not of what stands for stacks that are not known, such as [not sampled]. */
bool tree_is_function(const struct tree *t, uint32_t name);
/* Whether it is an interpreter that has the name for the function. */
bool tree_is_interpreted(const struct tree *t, uint32_t name);

/* By node: which one of its stack, or itself, has its self where selfs are of the program's functions: the innermost
 * one of the origin that is last of all in the stack. The caller frees the list. NULL: memory. */
uint32_t *tree_owners(const struct tree *t, struct error *err);

/* List all *n functions, unsorted. A function's total is the sum over its nodes that have no
 * ancestor of the same name. The caller frees the array. NULL on error. */
struct tree_function *tree_functions(const struct tree *t, size_t *n, struct error *err);

/* The same, where selfs are those of tree_owners. Their sum is the same. */
struct tree_function *tree_functions_of_program(const struct tree *t, size_t *n, struct error *err);

/* The number of frames of the deepest stack. */
uint32_t tree_height(const struct tree *t);

/* To walk the tree: the first node after i that is not in the subtree of i is nodes[i].end. The
 * first child of i is i + 1, if i + 1 is less than nodes[i].end. */

#endif
