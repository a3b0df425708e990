/* SPDX-License-Identifier: MIT */
/*
 * callpath.h - folds the tree into call paths.
 */
#ifndef TREE_CALLPATH_H
#define TREE_CALLPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/stop.h"
#include "tree/tree.h"

/* ---- callpath -------------------------------------------------------------------------------- */
/*
 * Call path profiles (Hall & Goldberg 1993, sections 4.3 and 5.3, and the appendix).
 *
 * In: struct tree and root functions. Out: call paths of names, with their weights.
 */

/* A path consists of its parent and one more name. In a downward profile the name is the last one
 * of the path, and the parent is the path without its last name; in an upward profile the name is
 * the first one, and the parent is the path without its first name. Path 0 is the empty path. */
struct callpath {
	uint32_t parent, name;
	uint32_t length; /* number of names */
	bool locked;	 /* while the profile is built: the current stack has noted the path */
	uint64_t weight; /* in the tree's unit, of the samples that note the path at least once */
	uint64_t hits;	 /* the same, in raw samples */
};

struct callpaths {
	const struct tree *tree;
	bool up;
	struct callpath *paths; /* parents come before their children */
	size_t n_paths;		/* including path 0 */
	/* The numbers of all n_paths - 1 paths that are not empty, in the order of the profile:
	 * by weight descending, then by length ascending, then by names bytewise. */
	uint32_t *order;
	bool is_cut; /* paths were left out because they are too long */
};

/* The upward profile needs limits, because its size can be the square of the tree's size. */
struct callpath_limits {
	uint64_t longest; /* paths with more names are left out; 0: no limit */
	/* It is an error if there are more paths than this and also more than CALLPATH_UP_RATE
	 * times as many paths as nodes of the tree. */
	uint32_t most;
};

#define CALLPATH_UP_MOST (1u << 24) /* they take 1.5 GB */
#define CALLPATH_UP_RATE 8u

/*
 * Build the downward profile: every path that begins with one of the functions `roots` (n_roots
 * names in tree->strings), even if it has no samples. There is no path if the tree has no such
 * function. The appendix defines the canonical path of a recursive stack, and the lock that keeps a
 * stack from being counted twice for one path. For each root, time and memory are linear in the
 * tree. NULL if memory is out.
 */
struct callpaths *callpath_down(const struct tree *t, const uint32_t *roots, size_t n_roots,
				struct error *err);

/*
 * Build the upward profile: every path that ends with one of the functions, even if it has no
 * samples. The weight of a path is its weight in the downward profile of its first function
 * (section 4.2). Time is linear in the tree and in the number of names above each root function.
 * NULL on error (memory, too many paths).
 */
struct callpaths *callpath_up(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      const struct callpath_limits *limits, struct error *err);

/* Fill in `order`. Only the files that build profiles call this. Returns 0, or -1 if memory is
 * out. */
int callpath_order(struct callpaths *c, struct error *err);

void callpath_free(struct callpaths *c);

/* Write the names of a path, outermost first, to names[0 .. length - 1]. */
void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names);

/* ---- callpath trie --------------------------------------------------------------------------- */
/*
 * The paths of a call path profile while it is built.
 *
 * In: paths, each as a parent and a name. Out: struct callpaths.
 */

struct callpath_trie {
	struct callpaths *paths;
	struct pair_table pairs; /* (parent, name) -> path - 1 */
	size_t size;		 /* allocated elements of paths->paths */
	uint32_t limit;		 /* more paths are an error; to be set after callpath_trie_begin */
};

/* Begin with only the empty path. Returns -1 if memory is out. Call callpath_trie_end in any
 * case. */
int callpath_trie_begin(struct callpath_trie *t, const struct tree *tree, bool up,
			struct error *err);

/* Find the path that consists of `parent` and the name; add it if it is new. Returns -1 on error
 * (memory, too many paths). */
int callpath_trie_extend(struct callpath_trie *t, uint32_t parent, uint32_t name, uint32_t *path,
			 struct error *err);

/* Let a node of the tree note the path: unless the path is locked, add the node's weight to it and
 * lock it. Returns whether that was done; if so, unlock the path when the walk leaves the node. */
bool callpath_trie_note(struct callpath_trie *t, uint32_t path, const struct tree_node *node);
void callpath_trie_unlock(struct callpath_trie *t, uint32_t path);

/* Sort the paths and return them; everything else is freed. If status is not 0, or if memory is
 * out, free the paths, too, and return NULL. */
struct callpaths *callpath_trie_end(struct callpath_trie *t, int status, struct error *err);

#endif
