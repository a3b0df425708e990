/* SPDX-License-Identifier: MIT */
/*
 * passages.h - from which function of a picture the program comes to which other one through functions
 * that the picture leaves out.
 *
 * In: struct pruned_graph of a tree. Out: pairs of nodes with shares.
 */
#ifndef PASSAGES_H
#define PASSAGES_H

#include "write/pruned_graph.h"

struct passage {
	uint32_t caller, callee; /* functions of the graph, both shown */
	double total; /* share of all samples, each stack once for the outermost passage */
};

struct passages {
	struct passage *list; /* by caller, then callee */
	size_t n, size;
};

/* Find the passages that weigh at least the threshold of edges. There may be direct calls beside them. A
 * graph without stacks has none. Fills *p, which is to be freed in any case. -1: memory. */
int passages_find(struct passages *p, const struct pruned_graph *d);
void passages_free(struct passages *p);

#endif
