/* SPDX-License-Identifier: MIT */
/*
 * propagate.h - propagates time up the call graph, from callees to callers.
 */
#ifndef GRAPH_PROPAGATE_H
#define GRAPH_PROPAGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"

/* ---- propagate ------------------------------------------------------------------------------- */
/*
 * Finds totals if only self and calls are known; cycles are split (Fonseca).
 *
 * In: the self of each function and the weights of calls. Out: totals of functions and of calls.
 */

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

/* ---- cycle split ----------------------------------------------------------------------------- */
/*
 * Splits the time of a cycle among its members (Fonseca).
 *
 * In: the time and the calls of a cycle's members. Out: a total for each member and call.
 */

/* Splitting takes entries times (members + calls) steps. More steps than this, which take about a
 * minute, are an error. */
#define CYCLE_STEPS_MAX UINT64_C(20000000000)

struct cycle_member {
	double own;	/* its self, and the time of its calls to functions outside the cycle */
	double entered; /* the share of the cycle's time that enters it from callers outside; less
			   than 0 if no function outside calls it */
	double total;	/* filled in by cycle_split */
	uint32_t first; /* its calls begin there and end where those of the next member begin */
};

/* The calls of one member by another. */
struct cycle_call {
	uint32_t callee; /* the index of a member */
	uint32_t number; /* not read here: it is for the caller of cycle_split */
	double ratio;	 /* the share of these calls in all calls of the callee */
	double total;	 /* filled in by cycle_split; NAN if it is in no decomposition */
};

/*
 * "Decompose the cycle into a DAG having as root each function that is called externally." The DAG
 * whose root is an entered member keeps only the calls that lead one step further away from the
 * root, counted breadth-first. The share of the cycle's time that enters at the root flows along
 * these calls. A total is the sum over all DAGs.
 *
 * There are n members, each of which reaches all others. One more element follows them, because its
 * `first` ends the calls of the last member. Time is linear in entries times calls. Returns 0, or
 * -1 on error (memory, more than CYCLE_STEPS_MAX steps).
 */
int cycle_split(struct cycle_member *members, uint32_t n, struct cycle_call *calls,
		struct error *err);

#endif
