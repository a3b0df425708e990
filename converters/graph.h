/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the call graph: functions and arcs with their weights, each stack counted once.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "tree.h"

/* Weight and stacks count each stack once that has callee directly under caller. */
struct graph_arc {
	uint32_t caller, callee; /* indices in graph.functions */
	uint64_t weight;	 /* 0 for self calls */
	uint64_t stacks;	 /* of self calls too */
	uint64_t occurrences;	 /* weight times how often the pair stands in the stack */
};

struct graph {
	const struct tree *tree;
	struct tree_function *functions; /* by name bytewise */
	size_t n_functions;
	struct graph_arc *arcs; /* by caller, then callee */
	size_t n_arcs;
};

/* Naganov, "call graph". NULL on error (memory, overflow of 64 bits). */
struct graph *graph_build(const struct tree *t, struct error *err);
void graph_free(struct graph *g);

#endif
