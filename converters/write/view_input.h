/* SPDX-License-Identifier: MIT */
/*
 * view_input.h - the input of a view: the results of the stages, and the options.
 *
 * In: results of the stages. Out: struct view_input.
 */
#ifndef VIEW_INPUT_H
#define VIEW_INPUT_H

#include <stdbool.h>

#include "graph/graph.h"
#include "model/profile.h"
#include "symbols/symbols.h"
#include "tree/tree.h"

enum view_format { VIEW_TEXT, VIEW_TSV, VIEW_JSON };

/* How the totals of a call graph are computed. */
enum view_totals { VIEW_PROPAGATED, VIEW_EXACT };

/* The options for the looks of dot's picture. They have gprof2dot's names. */
struct view_dot_options {
	int colormap; /* enum colour_map */
	double skew;  /* struct colour_scale */
	bool strip, wrap, by_self, show_samples;
};

/* The options that views read. The command line sets them. */
struct view_options {
	int format;	       /* enum view_format */
	const char *root;      /* NULL: "main"; dot, graph: all */
	const char *leaf;      /* dot, graph: what reaches these; NULL: all */
	bool up;	       /* callpath: to the root function, not from it */
	double threshold;      /* percent; negative: the view's own default, 0 for programs */
	double node_threshold; /* percent, dot and graph; negative: 0.5 */
	double edge_threshold; /* percent, dot and graph; negative: 0.1 */
	int unit;	       /* enum tree_unit */
	uint64_t depth;	       /* 0: no limit */
	uint64_t top;	       /* rows at most; 0: no limit */
	int totals;	       /* enum view_totals */
	int of_parent;	       /* 1: percentages are of the caller's total, not of all */
	int by_total;	       /* 1: flat sorts by total, not by self */
	struct view_dot_options dot;
	const char *source_dir; /* cpprof's source: where to look for files; NULL: nowhere else */
};

struct view_input {
	const struct profile *profile;
	const struct symbols *symbols; /* NULL if the view does not need names */
	const struct tree *tree;       /* likewise */
	const struct graph *graph;
	const struct view_options *options;
};

/* The first returns the weight that is 100 %. The second returns all functions, unsorted, *n of
 * them; the caller frees the array; NULL is an error. Both read the tree, or the call graph if
 * there are no stacks. */
uint64_t view_input_total(const struct view_input *in);
struct tree_function *view_input_functions(const struct view_input *in, size_t *n,
					   struct error *err);

/* Whether the view is to be written as a table for programs (rows.h), and not for people. */
bool view_input_is_rows(const struct view_options *options);

/* The value of --threshold, or without that option the view's default for its text. */
double view_input_threshold(const struct view_options *options, double text_default);

#endif
