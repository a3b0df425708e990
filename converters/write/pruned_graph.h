/* SPDX-License-Identifier: MIT */
/*
 * pruned_graph.h - what of a call graph is shown: functions and calls with their shares, pruned.
 *
 * In: struct graph and what the command line asked for. Out: nodes and edges.
 */
#ifndef PRUNED_GRAPH_H
#define PRUNED_GRAPH_H

#include "write/view_input.h"

#define PRUNED_GRAPH_NO_CYCLE UINT32_MAX

/* Shares are fractions of all samples, from 0 to 1; those of nothing at all are 1. */
struct pruned_graph_node {
	uint32_t function; /* in graph.functions */
	uint32_t cycle; /* the function that its cycle is named after, or PRUNED_GRAPH_NO_CYCLE */
	double total, self;
	uint64_t calls; /* of it, by others and by itself; 0 unless graph.has_calls */
};

struct pruned_graph_edge {
	uint32_t arc; /* in graph.arcs */
	double total; /* NAN: it has none */
	double ratio; /* its share of the callee's calls; NAN for self calls */
};

struct pruned_graph {
	const struct graph *graph;
	const struct strings *strings;
	struct pruned_graph_node *nodes; /* by name */
	struct pruned_graph_edge *edges; /* by caller's name, then callee's; both ends are nodes */
	size_t n_nodes, n_edges;
	double node_threshold, edge_threshold; /* those that were applied */
	size_t n_unreached, n_small, n_beyond; /* functions left out, and why */
};

/*
 * Totals are propagated (propagate.h) or exact; a self call never has one. Left out is what --root,
 * --leaf and --depth do not reach; what weighs strictly less than its threshold, an edge without a
 * total weighing as much as the lighter of its ends; of functions, all but the --top heaviest; and
 * edges without an end. Nothing is renormalised.
 *
 * Fill *d; pruned_graph_free it. -1: memory, or a root or leaf that is not there.
 */
int pruned_graph_make(struct pruned_graph *d, const struct view_input *in, struct error *err);
void pruned_graph_free(struct pruned_graph *d);

#endif
