/* SPDX-License-Identifier: MIT */
/*
 * callpath.h - call path profiles (Hall & Goldberg 1993, sections 4.3 and 5.3, and the appendix).
 *
 * In: struct tree and root functions. Out: paths of names with their usage.
 */
#ifndef CALLPATH_H
#define CALLPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/* A path is its parent and one more name. In a downward profile the name is the path's last one,
 * and the parent is the path without it; in an upward one the name is the path's first one. Path 0
 * is the empty one. */
struct callpath {
	uint32_t parent, name;
	uint32_t length; /* names */
	bool locked;	 /* only while the profile is built: the stack at hand has noted the path */
	uint64_t weight; /* in the tree's unit: samples that note the path at least once */
	uint64_t hits;	 /* the same in raw samples */
};

struct callpaths {
	const struct tree *tree;
	bool up;
	struct callpath *paths; /* parents before children */
	size_t n_paths;		/* path 0 included */
	/* The numbers of all paths but the empty one, as a profile lists them: weight
	 * descending, then the shorter one, then names bytewise. n_paths - 1 of them. */
	uint32_t *order;
	bool is_cut; /* longer paths were left out */
};

/* A hostile tree has an upward profile as large as the square of its own size. */
struct callpath_limits {
	uint64_t longest; /* longer paths are left out; 0: none */
	/* More paths than that, and more than CALLPATH_UP_RATE times the nodes of the tree, are an
	 * error. */
	uint32_t most;
};

#define CALLPATH_UP_MOST (1u << 24) /* a gigabyte and a half */
#define CALLPATH_UP_RATE 8u

/*
 * The downward profile: every path that begins with one of the functions `roots` (n_roots names
 * in tree->strings), also those with no samples. No path if the tree has no such function. The
 * canonical path of a recursive stack, and the lock that keeps a stack from counting twice for one
 * path, are those of the appendix. Time and memory are linear in the tree, for each root. NULL on
 * error (memory).
 */
struct callpaths *callpath_down(const struct tree *t, const uint32_t *roots, size_t n_roots,
				struct error *err);

/*
 * The upward profile: every path that ends with one of the functions, also those with no samples.
 * A path's usage is the one that the downward profile of its first function gives it (section
 * 4.2). Time is linear in the tree and in the names above each root function. NULL on error
 * (memory, too many paths).
 */
struct callpaths *callpath_up(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      const struct callpath_limits *limits, struct error *err);

/* Fill in `order`. 0 or -1 (memory). For the files that build profiles. */
int callpath_order(struct callpaths *c, struct error *err);

void callpath_free(struct callpaths *c);

/* Write the names of a path, outermost first, to names[0 .. length - 1]. */
void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names);

#endif
