/* SPDX-License-Identifier: MIT */
/*
 * propagate.h - totals from selfs and calls alone, cycles split (Fonseca).
 *
 * In: each function's self, who calls whom how often. Out: totals of functions and of
 * calls.
 */
#ifndef PROPAGATE_H
#define PROPAGATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct graph;

#define PROPAGATE_NO_CYCLE UINT32_MAX

/* The calls of one function by another, or by itself. */
struct propagate_call {
	uint32_t caller, callee;
	double weight; /* how often; 0 or more */
};

struct propagate_input {
	size_t n_functions; /* less than 2^32 - 1 */
	const double *self; /* by function; any unit, 0 or more */
	/* By function: how often it is called from outside of the graph, negative if it is not.
	 * NULL: there are no such calls. */
	const double *outermost;
	size_t n_calls;			    /* less than 2^32 - 1 */
	const struct propagate_call *calls; /* by caller */
};

struct propagation {
	double *totals;	  /* by function; the unit of self */
	uint32_t *cycles; /* by function: the lowest number of its cycle, or PROPAGATE_NO_CYCLE */
	double *call_totals; /* by call; NAN if it has none */
	double *ratios;	     /* by call: its share of the callee's calls; NAN for self calls */
};

/*
 * A callee's time is divided among its callers by how often they call it. A cycle, two or more
 * functions that reach each other, passes the time of all its members to those who call into it;
 * within, it is split as cycle_split.h says. Self calls take no part; 0/0 calls count as a share of 1.
 *
 * Without cycles and with weights that are occurrences in stacks, totals are those of tree.h. A
 * cycle that nobody outside calls has totals of 0. Any depth, without recursion. Fill *p;
 * propagate_free it. 0 or -1 (memory).
 */
int propagate(struct propagation *p, const struct propagate_input *in, struct error *err);
void propagate_free(struct propagation *p);

/* The same for a call graph; functions and calls have its numbers. Calls weigh their occurrences,
 * and a synthetic function calls the outermost one of each stack. */
int propagate_graph(struct propagation *p, const struct graph *g, struct error *err);

/* Propagate the totals of a graph that has none of its own, set them, and keep the propagation in
 * the graph, where views find it. 0 or -1 (memory). */
int propagate_totals(struct graph *g, struct error *err);

#endif
