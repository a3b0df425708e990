/* SPDX-License-Identifier: MIT */
/*
 * pruned_graph.h - the part of a call graph that is shown: functions and calls with their shares.
 *
 * In: struct graph and the options of the view. Out: nodes and edges.
 */
#ifndef PRUNED_GRAPH_H
#define PRUNED_GRAPH_H

#include "write/view_input.h"

#define PRUNED_GRAPH_NO_CYCLE UINT32_MAX

/* Shares are fractions of all samples, from 0 to 1. They are 1 if the profile has no samples. */
struct pruned_graph_node {
	uint32_t function; /* in graph.functions */
	uint32_t cycle; /* the function that its cycle is named after, or PRUNED_GRAPH_NO_CYCLE */
	double total, self;
	/* The number of calls to it, also by itself, and from outside if the input says so; 0 unless graph.has_calls. */
	uint64_t calls;
};

struct pruned_graph_edge {
	uint32_t arc; /* in graph.arcs */
	double total; /* NAN: the edge has no total */
	double ratio; /* its share of the callee's calls; NAN if a function calls itself */
};

struct pruned_graph {
	const struct graph *graph;
	const struct strings *strings;
	struct pruned_graph_node *nodes; /* sorted by name */
	struct pruned_graph_edge *edges; /* sorted by caller, then callee; both are in `nodes` */
	size_t n_nodes, n_edges;
	bool is_exact; /* totals are those of stacks or of the input, and not propagated */
	double node_threshold, edge_threshold; /* in percent, as applied */
	size_t n_unreached, n_small, n_beyond; /* functions left out: by reach, threshold, --top */
};

/*
 * Select the nodes and edges. Totals are exact or propagated (propagate.h), as is asked for; by
 * default they are exact if the graph has such totals. An edge from a function to itself has none.
 * Exact totals without stacks are those that the input has measured; a call within a cycle has none
 * if the input counts its cost for an outer call only. These are left out:
 *  - functions that are not in a --path;
 *  - functions that --root, --leaf and --depth do not reach past the others;
 *  - functions and edges that weigh less than their threshold, where an edge without a total
 *    weighs as much as the lighter of its ends;
 *  - all functions except the --top heaviest;
 *  - edges with an end that is left out.
 * The shares of the others stay as they were.
 *
 * Fills *d; pruned_graph_free it. Returns -1 on error (memory; a root, leaf or exact totals that
 * the graph does not have).
 */
int pruned_graph_make(struct pruned_graph *d, const struct view_input *in, struct error *err);

/* By function, whether it is in a --path, and --root, --leaf and --depth reach it. The caller frees it; NULL: memory, there is
 * no such function, or nothing says where functions are. */
bool *pruned_graph_reached(const struct graph *g, const struct view_input *in, struct error *err);

/* In percent, --node-thres and --edge-thres or what they are by default. */
double pruned_graph_node_threshold(const struct view_options *options);
double pruned_graph_edge_threshold(const struct view_options *options);

/* What is said to people about where the totals come from. */
const char *pruned_graph_totals(const struct pruned_graph *d);
void pruned_graph_free(struct pruned_graph *d);

#endif
