/* SPDX-License-Identifier: MIT */
/*
 * callpath.h - call path profiles (Hall & Goldberg 1993, section 5.3 and the appendix).
 *
 * Shape room. In: struct tree and a root function. Out: paths of names with their usage.
 */
#ifndef CALLPATH_H
#define CALLPATH_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tree.h"

/* A path is its parent (the path without its last name) and a last name; path 0 is the empty one. */
struct callpath {
	uint32_t parent, name;
	uint32_t length; /* names */
	uint64_t weight; /* in the tree's unit: samples that note the path at least once */
	uint64_t hits;	 /* the same in raw samples */
};

struct callpaths {
	const struct tree *tree;
	struct callpath *paths; /* parents before children */
	size_t n_paths;		/* path 0 included */
	/* The numbers of all paths but the empty one, as a profile lists them: weight
	 * descending, then the shorter one, then names bytewise. n_paths - 1 of them. */
	uint32_t *order;
};

/*
 * The downward profile: every path that begins with the function `root` (a name in tree->strings),
 * also those with no samples. No path if the tree has no such function. The canonical path of a
 * recursive stack, and the lock that keeps a stack from counting twice for one path, are those of
 * the appendix. Time and memory are linear in the tree. NULL on error (memory).
 */
struct callpaths *callpath_down(const struct tree *t, uint32_t root, struct error *err);
void callpath_free(struct callpaths *c);

/* Write the names of a path, outermost first, to names[0 .. length - 1]. */
void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names);

#endif
