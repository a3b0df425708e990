/* SPDX-License-Identifier: MIT */
/*
 * graphs.h - trees and directed graphs of numbers: preorder, strongly connected components.
 */
#ifndef BASE_GRAPHS_H
#define BASE_GRAPHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"

/* ---- preorder -------------------------------------------------------------------------------- */
/*
 * Numbers the nodes of a tree in preorder, siblings in a given order.
 *
 * In: each node's parent. Out: each node's place.
 */

struct preorder_tree {
	size_t n; /* at least 1, at most 2^32 - 2 */
	/* The parent of each node has a lower number than the node. Node 0 is the root, so
	 * parents[0] is not read. */
	const uint32_t *parents;
	/* Compares two siblings, as qsort_r does; both pointers are to node numbers (uint32_t). */
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
};

/* Returns the place of each of the n nodes in preorder; the place of the root is 0. The caller
 * frees the array. The C stack does not grow with the depth of the tree. NULL if memory is out. */
uint32_t *preorder_places(const struct preorder_tree *tree, struct error *err);

/* ---- strong components ----------------------------------------------------------------------- */
/*
 * The strongly connected components of a directed graph.
 *
 * In: the successors of each vertex. Out: the component of each vertex; callees come before
 * callers.
 */

/* The successors of vertex v are target[first[v]] .. target[first[v + 1] - 1]. */
struct successors {
	uint32_t n;		/* number of vertices, less than 2^32 - 1 */
	const uint32_t *first;	/* has n + 1 elements */
	const uint32_t *target; /* may contain repetitions and v itself */
};

/* Components are numbered so that an arc between two of them leads to the lower number. */
struct strong_components {
	uint32_t n;
	uint32_t *of;	   /* by vertex: its component */
	uint32_t *first;   /* n + 1 elements: the index in `members` where each begins */
	uint32_t *members; /* the vertices, component by component */
};

/* Find the components with Tarjan's algorithm (1972). It does not recurse, so that deep graphs do
 * not overflow the stack. The caller frees *c with strong_components_free. Returns -1 if memory is
 * out. */
int strong_components_find(struct strong_components *c, const struct successors *graph,
			   struct error *err);
void strong_components_free(struct strong_components *c);

#endif
