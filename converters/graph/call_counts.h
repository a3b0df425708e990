/* SPDX-License-Identifier: MIT */
/*
 * call_counts.h - how often functions were called, and by whom.
 */
#ifndef GRAPH_CALL_COUNTS_H
#define GRAPH_CALL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/graph.h"
#include "tree/tree.h"

/* ---- counted tree ---------------------------------------------------------------------------- */
/*
 * Names the calls that were counted.
 *
 * In: struct profile_counted. Out: struct tree.
 */

/*
 * A tree like that of samples: its stacks are those that calls led to. A node's self is how many calls led to it, and its
 * self_hits are the direct recursions in it. Of the filter only --focus and --ignore have a meaning; it must outlive the tree.
 * NULL: error.
 */
struct tree *counted_tree_build(const struct profile *p, struct symbols *s, struct filter *filter,
				struct error *err);

/* Whether two functions of one name have called each other more than once in a row. The machine tells them apart, and so it has
 * not kept what was before the run: then a context by name cannot be had of one by address. Pairs of functions can. */
bool counted_tree_has_runs(const struct tree *t);

/* ---- call counts ----------------------------------------------------------------------------- */
/*
 * Adds up the calls of each function, and those of each pair of caller and callee.
 *
 * In: struct tree of calls. Out: numbers by name.
 *
 * A function that calls another one of its name calls itself.
 */

struct call_count {
	uint32_t caller, callee; /* names; caller STRINGS_NONE: no counted function was running */
	uint64_t calls;
};

struct call_counts {
	struct call_count *arcs; /* by caller, then callee, by number */
	size_t n_arcs;
	/* By name: */
	uint64_t *calls; /* all of the function */
	uint64_t *own;	 /* those by itself */
	bool *is_known;	 /* its calls were counted */
	size_t n_names;
};

/* -1: memory. Call call_counts_free in any case. */
int call_counts_build(struct call_counts *c, const struct tree *calls, struct error *err);
/* The same of a call graph that was read, without arcs. */
int call_counts_of_graph(struct call_counts *c, const struct graph *g, struct error *err);
void call_counts_free(struct call_counts *c);

static inline bool call_counts_knows(const struct call_counts *c, uint32_t name)
{
	return name < c->n_names && c->is_known[name];
}

/* Whether calls of one by the other were counted, and how many. A function that was never called by the other is not told from
 * one whose calls could not be counted. */
bool call_counts_find(const struct call_counts *c, uint32_t caller, uint32_t callee,
		      uint64_t *calls);

/* Set the numbers of calls of the graph's arcs, those that are not known to 0, and of its starts: calls for which it has no
 * arc. has_calls stays as it is. -1: memory. */
int call_counts_mark(struct graph *g, const struct tree *calls, struct error *err);

/* A copy of the graph with numbers of calls. It also has the functions and arcs that were counted and never sampled, without
 * weight. NULL: memory. */
struct graph *call_counts_graph(const struct call_counts *c, const struct graph *g,
				struct error *err);

#endif
