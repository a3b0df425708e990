/* SPDX-License-Identifier: MIT */
/*
 * caller_shares.h - the callers' shares of a function's time, as measured and by numbers of calls.
 *
 * In: arcs with calls and times. Out: functions with several callers.
 *
 * gprof measures the time of a function, counts the calls to it by each caller, and divides the
 * time in proportion to the calls. This is the average time assumption (Spivey 2004, introduction).
 * If the time of each arc is measured, too, the two shares can be compared. Spivey does so (section
 * "Results and evaluation") for rest_of_compilation, splay_tree_splay and qsort.
 */
#ifndef CALLER_SHARES_H
#define CALLER_SHARES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/graph.h"

struct caller_shares_arc {
	uint32_t caller, callee; /* numbers of functions */
	uint64_t time;
	unsigned __int128 calls; /* the number of calls, or what stands for it; up to 2^127 */
};

/* A function with several callers. The function does not count as a caller of itself. */
struct caller_shares_function {
	uint32_t function;
	size_t first, n; /* its arcs are caller_shares.arcs[first .. first + n - 1] */
	/* The sums over its arcs. */
	uint64_t time;
	unsigned __int128 calls;
	unsigned shift;	  /* calls are shifted right by so many bits, so that they fit into 64 */
	double misplaced; /* the largest among its arcs, see caller_shares_misplaced */
};

struct caller_shares {
	struct caller_shares_arc *arcs; /* by function, then by misplaced descending, then caller */
	struct caller_shares_function *functions; /* by misplaced descending, then number */
	size_t n;
};

/*
 * Take over `arcs`, which come from malloc, and sort them. Arcs from a function to itself, and arcs
 * with neither calls nor time, are left out. Returns 0 or -1 (memory, overflow of 64 bits). Call
 * caller_shares_free in any case.
 */
int caller_shares_build(struct caller_shares *s, struct caller_shares_arc *arcs, size_t n,
			struct error *err);

/*
 * Compare the shares in a call graph. Functions have the numbers that they have in the graph. If
 * the graph comes without stacks, calls and inclusive weights are those that were read; it must
 * have weights. With stacks, time is self2 + child2 of arc_times.h, and because samples do not
 * count calls, occurrences stand for them. Returns 0 or -1, as caller_shares_build does; call
 * caller_shares_free in any case.
 */
int caller_shares_of_graph(struct caller_shares *s, const struct graph *g, struct error *err);
void caller_shares_free(struct caller_shares *s);

/* The share of the arc in the calls of its function, and in the time of its function: 0 to 1. */
double caller_shares_of_calls(const struct caller_shares_function *f,
			      const struct caller_shares_arc *a);
double caller_shares_of_time(const struct caller_shares_function *f,
			     const struct caller_shares_arc *a);

/*
 * The time that division by calls misplaces on this arc: the difference of the two shares, times
 * the function's time. The difference of the shares alone is not used, because it is largest for
 * functions with hardly any samples. The ratio of the shares is not used, because an error matters
 * by the amount of time that it hides.
 */
double caller_shares_misplaced(const struct caller_shares_function *f,
			       const struct caller_shares_arc *a);

/* The time that division by calls would give to this arc, rounded. */
uint64_t caller_shares_by_calls(const struct caller_shares_function *f,
				const struct caller_shares_arc *a);

#endif
