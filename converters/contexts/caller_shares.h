/* SPDX-License-Identifier: MIT */
/*
 * sharing.h - how callers share a function's time, and how they would by their numbers of calls.
 *
 * Shape room. In: arcs with calls and times. Out: functions with several callers.
 *
 * gprof measures a function's time, counts each caller's calls of it, and divides the one by the
 * other: the average time assumption (Spivey 2004, introduction). Where the time of an arc is
 * measured, too, both can be compared, as Spivey does (section "Results and evaluation") with
 * rest_of_compilation, splay_tree_splay and qsort.
 */
#ifndef SHARING_H
#define SHARING_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/graph.h"

struct sharing_arc {
	uint32_t caller, callee; /* functions, by number */
	uint64_t time;
	unsigned __int128 calls; /* or what stands for them, up to 2^127 */
};

/* A function with several callers; itself is none. */
struct sharing_function {
	uint32_t function;
	size_t first, n; /* its arcs in sharing.arcs */
	/* The sums of its arcs'. */
	uint64_t time;
	unsigned __int128 calls;
	unsigned shift;	  /* calls are divided by so many twos, so that 64 bits hold them */
	double misplaced; /* the largest of its arcs, see sharing_misplaced */
};

struct sharing {
	struct sharing_arc *arcs; /* of each function by misplaced, descending, then caller */
	struct sharing_function *functions; /* likewise */
	size_t n;
};

/*
 * Take `arcs`, from malloc, and put them in order. Those of a function with itself and those with
 * neither calls nor time are left out. Returns 0 or -1 (memory, overflow of 64 bits); sharing_free
 * in any case.
 */
int sharing_build(struct sharing *s, struct sharing_arc *arcs, size_t n, struct error *err);

/*
 * The same for a call graph, with its numbers for functions. Without stacks, calls and inclusive
 * weights are those that were read; it must have weights. With stacks, time is self2 + child2 of
 * arc_times.h; and as samples count no calls, occurrences stand for them.
 */
int sharing_of_graph(struct sharing *s, const struct graph *g, struct error *err);
void sharing_free(struct sharing *s);

/* An arc's share of its function's calls and of its time. */
double sharing_calls_share(const struct sharing_function *f, const struct sharing_arc *a);
double sharing_time_share(const struct sharing_function *f, const struct sharing_arc *a);

/*
 * How much time division by calls gives to the wrong callers on this arc's account: the difference
 * of both shares, of the function's time. Not the difference alone, which is largest where a
 * function has hardly been seen; and not the ratio, as a caller's mistake matters by what it hides.
 */
double sharing_misplaced(const struct sharing_function *f, const struct sharing_arc *a);

/* The time that division by calls gives to this arc, rounded. */
uint64_t sharing_by_calls(const struct sharing_function *f, const struct sharing_arc *a);

#endif
