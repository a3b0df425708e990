/* SPDX-License-Identifier: MIT */
/*
 * strong_components.h - the strongly connected components of a directed graph.
 *
 * In: the successors of each vertex. Out: the component of each vertex; callees come before
 * callers.
 */
#ifndef STRONG_COMPONENTS_H
#define STRONG_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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
