/* SPDX-License-Identifier: MIT */
/*
 * view.h - what a view is: a name, what it needs, and a function that writes it.
 *
 * A view is one file, view_NAME.c, and one line in views.c.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>

#include "graph.h"
#include "out.h"
#include "profile.h"
#include "symbols.h"
#include "tree.h"

enum view_needs {
	VIEW_NEEDS_NAMES = 1, /* symbols */
	VIEW_NEEDS_TREE = 2,  /* implies names */
	VIEW_NEEDS_GRAPH = 4, /* implies tree */
};

/* What the command line asked for; main fills it, views read it. */
struct view_options {
	bool tsv;
	const char *root;      /* NULL: "main" */
	double threshold;      /* percent; negative: the view's own default, 0 with tsv */
	double node_threshold; /* percent, dot; negative: 0.5 */
	double edge_threshold; /* percent, dot; negative: 0.1 */
	enum tree_unit unit;
	uint32_t depth; /* 0: no limit */
};

struct view_input {
	const struct profile *profile;
	const struct symbols *symbols; /* NULL if the view does not need names */
	const struct tree *tree;       /* likewise */
	const struct graph *graph;
	const struct view_options *options;
};

struct view {
	const char *name;
	const char *help; /* one line for --help */
	unsigned needs;
	bool has_tsv;
	int (*emit)(const struct view_input *in, struct out *o, struct error *err);
};

extern const struct view view_flat, view_tree, view_callpath, view_folded, view_dot, view_info;

/* The table; ends with a NULL. The first one is the default. */
extern const struct view *const views[];
const struct view *view_find(const char *name);

/* The threshold asked for, or the view's default for its text. */
double view_threshold(const struct view_options *options, double text_default);

#endif
