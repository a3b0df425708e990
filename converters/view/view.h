/* SPDX-License-Identifier: MIT */
/*
 * view.h - what a view is: a name, what it needs, and a function that writes it.
 *
 * A view is one file, view_NAME.c, and one line in views.c.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>

#include "write/out.h"
#include "write/view_input.h"

enum view_needs {
	VIEW_NEEDS_NAMES = 1, /* symbols */
	VIEW_NEEDS_TREE = 2,  /* implies names */
	VIEW_NEEDS_GRAPH = 4, /* implies tree */
	/* A call graph without stacks will do: then a graph is made, and no tree, when either is
	 * needed; names are there already. */
	VIEW_TAKES_CALLS = 8,
};

struct view {
	const char *name;
	const char *help; /* one line for --help */
	unsigned needs;
	bool has_rows; /* takes --tsv and --json */
	int (*emit)(const struct view_input *in, struct out *o, struct error *err);
};

extern const struct view view_flat, view_tree, view_bottomup, view_callpath, view_functions,
	view_bodies, view_edges, view_folded, view_dot, view_info;
extern const struct view view_contexts, view_callgraph, view_cycles, view_average_time, view_graph;

/* The table; ends with a NULL. The first one is the default. */
extern const struct view *const views[];
const struct view *view_find(const char *name);

#endif
