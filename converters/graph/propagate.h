/* SPDX-License-Identifier: MIT */
/*
 * propagate.h - propagates time up the call graph, from callees to callers; cycles are split (Fonseca).
 *
 * In: the self of each function and the weights of calls. Out: totals of functions and of calls.
 */
#ifndef GRAPH_PROPAGATE_H
#define GRAPH_PROPAGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"

struct graph;

#define PROPAGATE_NO_CYCLE UINT32_MAX

/* The calls of one function by another, or by itself. */
struct propagate_call {
	uint32_t caller, callee;
	double weight; /* the number of calls, or what stands for it; 0 or more */
};

struct propagate_input {
	size_t n_functions; /* less than 2^32 - 1 */
	const double *self; /* by function; any unit, 0 or more */
	/* By function: the weight of calls from outside of the graph; negative if there are none.
	 * NULL: no function is called from outside. */
	const double *outermost;
	size_t n_calls;			    /* less than 2^32 - 1 */
	const struct propagate_call *calls; /* sorted by caller */
	bool without_totals; /* find only cycles and ratios, which takes a time linear in the calls */
};

struct propagation {
	double *totals;	  /* by function, in the unit of self; 0 if without_totals is set */
	uint32_t *cycles; /* by function: the lowest member of its cycle, or PROPAGATE_NO_CYCLE */
	double *call_totals; /* by call; NAN if it has none; 0 if without_totals is set */
	double *ratios; /* by call: its share of the callee's calls; NAN if both are the same */
};

/*
 * The time of a function is divided among its callers in proportion to the weights of their calls.
 * A cycle is a strongly connected component of two or more functions. The time of all its members
 * is divided among the calls that enter it; how it is split among the members is below.
 * Calls of a function to itself are ignored. A share of 0/0 counts as 1.
 *
 * If there are no cycles and the weights are occurrences in stacks, totals are those of tree.h. The
 * totals of a cycle that is not called from outside are 0. The code does not recurse, so the graph
 * may be of any depth. Fills *p; propagate_free it. Returns 0 or -1 (memory, a cycle too large to
 * split).
 */
int propagate(struct propagation *p, const struct propagate_input *in, struct error *err);
void propagate_free(struct propagation *p);

/* Propagate in a call graph. Functions and calls have the numbers that they have in the graph. The
 * weight of a call is its occurrences. The functions that begin stacks are called from outside. */
int propagate_graph(struct propagation *p, const struct graph *g, struct error *err);
/* The same without totals: only the cycles and the ratios of calls. */
int propagate_ratios(struct propagation *p, const struct graph *g, struct error *err);

/* Propagate and set the totals of a graph that has none. The graph keeps the propagation, because
 * views read it. Returns 0 or -1, as propagate does. */
int propagate_totals(struct graph *g, struct error *err);

#endif
