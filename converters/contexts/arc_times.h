/* SPDX-License-Identifier: MIT */
/*
 * arc_times.h - charges each stack to the arcs of its context (Spivey 2004).
 */
#ifndef CONTEXTS_ARC_TIMES_H
#define CONTEXTS_ARC_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "graph/graph.h"
#include "tree/tree.h"

/* ---- arc times ------------------------------------------------------------------------------- */
/*
 * The time that each arc of the call graph accounts for (Spivey 2004).
 *
 * In: struct tree. Out: struct arc_times.
 */

/*
 * For each of its functions, a stack is charged to one arc into the function and to one arc out of
 * it: the arcs of the function's most recent activation (section "Presenting the results"). The
 * charge is self time if the callee of the arc is the running function, else child time.
 *
 * With recursion, the times of an arc as the arc out of the caller (self1, child1) differ from
 * those as the arc into the callee (self2, child2). self1 and child1 leave out the time after the
 * callee has led to another call of the caller. Over all callees they add up to the caller's child
 * time. Over all callers self2 and child2 add up to the callee's total, without the stacks in which
 * the callee occurs only as the outermost function.
 */
struct arc_time {
	uint32_t caller, callee; /* names in tree->strings, never the same */
	uint64_t self1, child1;	 /* as the arc out of the caller; in the tree's unit */
	uint64_t self2, child2;	 /* as the arc into the callee */
};

struct arc_times {
	struct arc_time *arcs; /* sorted by caller, then by callee, bytewise */
	size_t n;
};

/* Find the times of all arcs. Time is linear in the tree. No sum is larger than the tree's total,
 * because a stack is charged to an arc at most once in either way. NULL if memory is out. */
struct arc_times *arc_times_build(const struct tree *t, struct error *err);
void arc_times_free(struct arc_times *a);

/* ---- caller shares --------------------------------------------------------------------------- */
/*
 * The callers' shares of a function's time, as measured and by numbers of calls.
 *
 * In: arcs with calls and times. Out: functions with several callers.
 *
 * gprof measures the time of a function, counts the calls to it by each caller, and divides the
 * time in proportion to the calls. This is the average time assumption (Spivey 2004, introduction).
 * If the time of each arc is measured, too, the two shares can be compared. Spivey does so (section
 * "Results and evaluation") for rest_of_compilation, splay_tree_splay and qsort.
 */

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
 * have weights. With stacks, time is self2 + child2 of struct arc_time. Samples do not count calls: all further columns
 * of the tree must be of resources calls:SYMBOL, and functions whose calls none of these has counted are left out.
 * Returns 0 or -1, as caller_shares_build does; call caller_shares_free in any case.
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

/* ---- gprof report ---------------------------------------------------------------------------- */
/*
 * Functions and the arcs between them, in the order of gprof's report.
 *
 * In: struct tree. Out: struct gprof_report.
 */

/* Arcs of one function, as indices in times->arcs. */
struct gprof_report_arcs {
	const uint32_t *list;
	size_t n;
};

struct gprof_report {
	const struct tree *tree;
	struct tree_function *functions; /* sorted by total descending, then by name bytewise */
	size_t n;
	uint32_t *number; /* by name: its index in functions */
	struct arc_times *times;
	uint32_t *into, *out; /* all arcs, sorted by callee, and by caller */
	size_t *first_into, *first_out;
	/* NULL until gprof_report_weigh: by arc of times, the weight of the stacks that contain the call, each
	 * once; by function, that of the stacks that begin with it. */
	uint64_t *weights, *starts;
};

/* Returns 0, or -1 if memory is out. Call gprof_report_close in any case. */
int gprof_report_open(struct gprof_report *r, const struct tree *t, struct error *err);
void gprof_report_close(struct gprof_report *r);
/* Set weights and starts. A stack enters a cycle of the call graph once, so that these of the calls into the cycle and of
 * its starts add up to the total of the cycle; into a function in no cycle, to its total. -1: memory. */
int gprof_report_weigh(struct gprof_report *r, struct error *err);

/* The arcs from a function's callers, by self2 + child2 ascending. */
struct gprof_report_arcs gprof_report_callers(const struct gprof_report *r, size_t function);
/* The arcs to a function's callees, by self1 + child1 descending. */
struct gprof_report_arcs gprof_report_callees(const struct gprof_report *r, size_t function);

#endif
