/* SPDX-License-Identifier: MIT */
/*
 * callpath.h - folds the tree into call paths (Hall & Goldberg 1993, sections 4.3 and 5.3, and the
 * appendix).
 *
 * In: struct tree and root functions. Out: call paths of names, with their weights.
 */
#ifndef TREE_CALLPATH_H
#define TREE_CALLPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/stop.h"
#include "tree/tree.h"

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
 * (section 4.2). What calls main, such as _start, is in no path, unless it is a root function. Time is linear in the tree and in the number of names above each root function.
 * NULL on error (memory, too many paths).
 */
struct callpaths *callpath_up(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      const struct callpath_limits *limits, struct error *err);

void callpath_free(struct callpaths *c);

/* Whether the function, or place in a function, is what the C library begins a program with, such as _start, or main. */
enum callpath_start { CALLPATH_NO_START, CALLPATH_MAIN, CALLPATH_ABOVE_MAIN };
enum callpath_start callpath_start_of(const struct strings *s, uint32_t name);

/* Write the names of a path, outermost first, to names[0 .. length - 1]. */
void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names);

#endif
