/* SPDX-License-Identifier: MIT */
/*
 * caller_shares.h - how callers share a function's time, and how they would by their numbers of calls.
 *
 * In: arcs with calls and times. Out: functions with several callers.
 *
 * gprof measures a function's time, counts each caller's calls of it, and divides the one by the
 * other: the average time assumption (Spivey 2004, introduction). Where the time of an arc is
 * measured, too, both can be compared, as Spivey does (section "Results and evaluation") with
 * rest_of_compilation, splay_tree_splay and qsort.
 */
#ifndef CALLER_SHARES_H
#define CALLER_SHARES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/graph.h"

struct caller_shares_arc {
	uint32_t caller, callee; /* functions, by number */
	uint64_t time;
	unsigned __int128 calls; /* or what stands for them, up to 2^127 */
};

/* A function with several callers; itself is none. */
struct caller_shares_function {
	uint32_t function;
	size_t first, n; /* its arcs in sharing.arcs */
	/* The sums of its arcs'. */
	uint64_t time;
	unsigned __int128 calls;
	unsigned shift;	  /* calls are divided by so many twos, so that 64 bits hold them */
	double misplaced; /* the largest of its arcs, see caller_shares_misplaced */
};

struct caller_shares {
	struct caller_shares_arc *arcs; /* of each function by misplaced, descending, then caller */
	struct caller_shares_function *functions; /* likewise */
	size_t n;
};

/*
 * Take `arcs`, from malloc, and put them in order. Those of a function with itself and those with
 * neither calls nor time are left out. Returns 0 or -1 (memory, overflow of 64 bits); caller_shares_free
 * in any case.
 */
int caller_shares_build(struct caller_shares *s, struct caller_shares_arc *arcs, size_t n,
			struct error *err);

/*
 * The same for a call graph, with its numbers for functions. Without stacks, calls and inclusive
 * weights are those that were read; it must have weights. With stacks, time is self2 + child2 of
 * arc_times.h; and as samples count no calls, occurrences stand for them.
 */
int caller_shares_of_graph(struct caller_shares *s, const struct graph *g, struct error *err);
void caller_shares_free(struct caller_shares *s);

/* An arc's share of its function's calls and of its time. */
double caller_shares_of_calls(const struct caller_shares_function *f,
			      const struct caller_shares_arc *a);
double caller_shares_of_time(const struct caller_shares_function *f,
			     const struct caller_shares_arc *a);

/*
 * How much time division by calls gives to the wrong callers on this arc's account: the difference
 * of both shares, of the function's time. Not the difference alone, which is largest where a
 * function has hardly been seen; and not the ratio, as a caller's mistake matters by what it hides.
 */
double caller_shares_misplaced(const struct caller_shares_function *f,
			       const struct caller_shares_arc *a);

/* The time that division by calls gives to this arc, rounded. */
uint64_t caller_shares_by_calls(const struct caller_shares_function *f,
				const struct caller_shares_arc *a);

#endif
