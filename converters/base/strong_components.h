/* SPDX-License-Identifier: MIT */
/*
 * strong_components.h - the strongly connected components of a directed graph.
 *
 * In: each vertex's successors. Out: which component it is in, callees' first.
 */
#ifndef STRONG_COMPONENTS_H
#define STRONG_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The successors of vertex v are target[first[v]] .. target[first[v + 1] - 1]. */
struct successors {
	uint32_t n;		/* vertices; less than 2^32 - 1 */
	const uint32_t *first;	/* n + 1 */
	const uint32_t *target; /* repetitions and v itself may be among them */
};

/* Components are numbered so that an arc between two of them leads to the lower number. */
struct strong_components {
	uint32_t n;
	uint32_t *of;	   /* by vertex */
	uint32_t *first;   /* n + 1: where in `members` each begins */
	uint32_t *members; /* the vertices, component by component */
};

/* Find the components with Tarjan's algorithm (1972), without recursion, so that deep graphs do not
 * overflow the stack. The caller frees *c with strong_components_free. -1: memory. */
int strong_components_find(struct strong_components *c, const struct successors *graph,
			   struct error *err);
void strong_components_free(struct strong_components *c);

#endif
