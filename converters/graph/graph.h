/* SPDX-License-Identifier: MIT */
/*
 * graph.h - builds the call graph.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "tree/tree.h"

/* ---- graph ----------------------------------------------------------------------------------- */
/*
 * The call graph: functions and arcs, whose weights count each stack once.
 *
 * In: struct tree, or calls without stacks. Out: struct graph.
 */

/*
 * `weight` and `stacks` count each stack once in which caller directly calls callee. In a call
 * graph without stacks they are inclusive weights (struct event_call), or if those are not known,
 * propagated totals.
 */
struct graph_arc {
	uint32_t caller, callee; /* indices in graph.functions */
	uint64_t weight;	 /* 0 if a function calls itself */
	uint64_t stacks;	 /* the same, but also if a function calls itself */
	/* Propagation divides the callee's time among its callers in proportion to this. It is
	 * the sum of each stack's weight times how often the arc occurs in the stack; with deep
	 * recursion that does not fit in 64 bits. Without stacks, it is the inclusive weight, or if
	 * that is not known, the number of calls. */
	unsigned __int128 occurrences;
	uint64_t calls;	 /* the number of calls; 0 unless graph.has_calls, or they were counted */
	bool is_counted; /* it is known */
};

/* The calls of a function from outside of the graph. */
struct graph_start {
	bool is_start;	 /* it is called from outside: stacks begin with it */
	uint64_t weight; /* comparable with occurrences; may be 0 */
	uint64_t calls;	 /* how many, if the input says so; else 0 */
};

struct graph {
	const struct tree *tree; /* NULL if the call graph comes without stacks */
	const struct strings *strings;
	enum tree_unit unit;
	uint64_t total, hits; /* the sums of all samples, as in tree.h */
	bool has_calls;	      /* the numbers of calls are known: without stacks, or call_counts.h */
	bool has_weights;     /* the inclusive weights of arcs are known; only without stacks */
	bool has_totals;      /* totals of functions are exact and need no propagation */
	bool has_shares;      /* those of arcs are shares of the callee's, by number of calls */
	struct tree_function *functions; /* sorted by name bytewise */
	size_t n_functions;
	struct graph_start *starts; /* by function */
	struct graph_arc *arcs;	    /* sorted by caller, then callee */
	size_t n_arcs;
	struct propagation *propagation; /* the totals come from it (propagate.h); or NULL */
};

/* Build the call graph of the tree (Naganov, "call graph"). NULL if memory is out. */
struct graph *graph_build(const struct tree *t, struct error *err);

/*
 * Build the graph of calls that come without stacks (profile.given_calls). Self is exact. Totals are
 * exact if has_totals is set; else they are 0 until graph_set_totals sets them.
 *
 * Arcs are weighed by inclusive weight if the profile has it (callgrind), because it is measured:
 * it distinguishes an expensive call from a cheap one, and so propagated totals are exact for all
 * functions that are not in a cycle. If arcs are weighed by the number of calls (gprof), every call
 * of a function costs the same.
 */
struct graph *graph_of_calls(const struct profile *p, enum tree_unit unit, struct error *err);
/* Set the totals of functions to those that propagation has found, rounded. Unless has_weights is
 * set, set those of arcs, too; an arc whose total is NAN keeps 0. */
void graph_set_totals(struct graph *g, const double *totals, const double *call_totals);
void graph_free(struct graph *g);

/* ---- call distance --------------------------------------------------------------------------- */
/*
 * How many calls away each function of a call graph is from others.
 *
 * In: struct graph and the functions to begin at. Out: a number of calls for each function.
 */

#define CALL_DISTANCE_NEVER UINT32_MAX

/*
 * `calls` is by function: 0 for the functions to begin at, and CALL_DISTANCE_NEVER for all others.
 * For each function that is called from one of the former, directly or not, set it to the smallest
 * number of calls between them; with `up`, do so for each function that calls one of the former.
 * Returns 0, or -1 if memory is out.
 */
int call_distance_spread(uint32_t *calls, const struct graph *g, bool up, struct error *err);

#endif
