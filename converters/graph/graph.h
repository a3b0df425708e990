/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the call graph: functions and arcs with their weights, each stack counted once.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "tree/tree.h"

/*
 * Weight and stacks count each stack once that has callee directly under caller. Of a call graph
 * without stacks they are inclusive weights (struct event_call), or if there are none, propagated
 * ones.
 */
struct graph_arc {
	uint32_t caller, callee; /* indices in graph.functions */
	uint64_t weight;	 /* 0 for self calls */
	uint64_t stacks;	 /* of self calls too */
	/* What propagation divides the callee's time by: weight times how often the pair stands in
	 * the stack, which in deep recursion does not fit in 64 bits; without stacks, inclusive
	 * weight or else the number of calls. */
	unsigned __int128 occurrences;
	uint64_t calls; /* how often it was called; 0 unless graph.has_calls */
};

/* How a function is called from outside of the graph. */
struct graph_start {
	bool is_start;	 /* it is: stacks begin with it */
	uint64_t weight; /* comparable with occurrences; may be 0 */
};

struct graph {
	const struct tree *tree; /* NULL: of a call graph without stacks */
	const struct strings *strings;
	enum tree_unit unit;
	uint64_t total, hits;		 /* of all samples, as in tree.h */
	bool has_calls;			 /* a call graph without stacks: the numbers of calls */
	bool has_weights;		 /* and arcs have inclusive weights */
	bool has_totals;		 /* functions' totals are exact, not yet to be propagated */
	struct tree_function *functions; /* by name bytewise */
	size_t n_functions;
	struct graph_start *starts; /* by function */
	struct graph_arc *arcs;	    /* by caller, then callee */
	size_t n_arcs;
	struct propagation *propagation; /* that the totals are from (propagate.h), or NULL */
};

/* Naganov, "call graph". NULL on error (memory). */
struct graph *graph_build(const struct tree *t, struct error *err);

/*
 * The same of a call graph without stacks (profile.calls). Self is exact. Totals are exact with
 * has_totals, else 0 until graph_set_totals.
 *
 * Arcs are weighed by inclusive weight where there is one (callgrind) because that is measured: it
 * tells an expensive call from a cheap one, and then propagated totals are exact for all that is not
 * in a cycle. The number of calls (gprof) makes every call of a function cost the same.
 */
struct graph *graph_of_calls(const struct profile *p, enum tree_unit unit, struct error *err);
/* Totals of functions and, without has_weights, of arcs, as propagation finds them; rounded. An arc
 * whose total is NAN keeps 0. */
void graph_set_totals(struct graph *g, const double *totals, const double *call_totals);
void graph_free(struct graph *g);

#endif
