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

/* How the totals of a call graph are made. VIEW_TOTALS_DEFAULT: they are exact if that is possible,
 * or else propagated. */
enum view_totals { VIEW_TOTALS_DEFAULT, VIEW_EXACT, VIEW_PROPAGATED };

/* What weights are counted in, as the user asks for it. VIEW_UNIT_DEFAULT: gticks, or what the view thinks better. */
enum view_unit { VIEW_UNIT_DEFAULT, VIEW_UNIT_SAMPLES, VIEW_UNIT_GTICKS };

/* Whose the self of a stack is: that of the innermost function, or of the program's innermost one (tree.h).
 * VIEW_SELF_DEFAULT: the latter where the resource is counted by calls (profile_is_of_calls). */
enum view_self { VIEW_SELF_DEFAULT, VIEW_SELF_LEAF, VIEW_SELF_PROGRAM };

struct row_numbers;

/* Several are one number, the first one in its lowest bits. */
enum view_label {
	VIEW_LABEL_TOTAL_PERCENT = 1,
	VIEW_LABEL_SELF_PERCENT,
	VIEW_LABEL_TOTAL,
	VIEW_LABEL_SELF,
};
#define VIEW_LABEL_BITS	 4u
#define VIEW_LABEL_MASK	 15u
#define VIEW_LABELS_BITS 32u
#define VIEW_PATHS_BYTES 1024u

/* The options for the looks of dot's picture. They have gprof2dot's names. */
struct view_dot_options {
	int colormap; /* enum colour_map */
	double skew;  /* struct colour_scale */
	bool wrap, by_self, show_samples;
	unsigned labels;	 /* enum view_label, what stands below a name; 0: the percentages */
	const char *time_format; /* dot_text_time; NULL: times have a unit that suits them */
};

/* The options that views read. The command line sets them. */
struct view_options {
	int format;		      /* enum view_format */
	const char *root;	      /* NULL: "main"; dot, graph: all */
	const char *leaf;	      /* dot, graph: what reaches these; NULL: all */
	char paths[VIEW_PATHS_BYTES]; /* dot, graph: where functions are, each with a line feed */
	const char *list_functions;   /* graph: a pattern, whose functions are listed; NULL: none */
	bool up;		      /* callpath: to the root function, not from it */
	double threshold;      /* percent; negative: the view's own default, 0 for programs */
	double node_threshold; /* percent, dot and graph; negative: 0.5 */
	double edge_threshold; /* percent, dot and graph; negative: 0.1 */
	int unit;	       /* enum view_unit */
	uint64_t depth;	       /* 0: no limit */
	uint64_t top;	       /* rows at most; 0: no limit */
	bool top_fits;	       /* nobody has asked for this limit: it is what fits a terminal */
	int totals;	       /* enum view_totals */
	int of_parent;	       /* 1: percentages are of the caller's total, not of all */
	bool normalize;	       /* of a comparison: scale each run to the total before */
	int by_total;	       /* 1: flat sorts by total, not by self */
	int self;	       /* enum view_self */
	struct view_dot_options dot;
	const char *source_path; /* directories to look for source files in; NULL: none */
	bool with_source;	 /* pack, html: with the text of the source lines that are used */
};

struct view_input {
	const struct profile *profile;
	struct symbols *symbols; /* NULL if the view does not need names */
	const struct tree *tree; /* likewise */
	const struct graph *graph;
	/* Calls that were counted, as a tree (call_counts.h), or NULL; then it may be said why a view cannot have them. */
	const struct tree *calls;
	const char *calls_why;
	const char *root; /* tree and graph are of what is below these functions; NULL: of all */
	/* The same with names by line, if the view wants sources and there are some; else NULL. */
	const struct tree *by_line;
	struct symbols *symbols_by_line;
	const struct view_options *options;
	/* NULL, or whether the reader has seen what a heading says of the profile in all views. Then it is
	 * left out; else it becomes true. */
	bool *is_introduced;
	struct row_numbers
		*numbers; /* NULL, or where rows of functions get numbers (row_numbers.h) */
};

/* The first returns the weight that is 100 %. The second returns all functions, unsorted, *n of
 * them; the caller frees the array; NULL is an error. Both read the tree, or the call graph if
 * there are no stacks. */
uint64_t view_input_total(const struct view_input *in);
struct tree_function *view_input_functions(const struct view_input *in, size_t *n,
					   struct error *err);
/* The same of a column's tree. */
struct tree_function *view_input_functions_of(const struct view_input *in, const struct tree *t,
					      size_t *n, struct error *err);
/* Whether the selfs of these are of functions of the program. */
bool view_input_is_of_program(const struct view_input *in);
bool view_input_options_are_of_program(const struct view_options *options, const struct profile *p);

/* The calls that a view of whole stacks can show, or NULL: none were counted, or calls_why says why it cannot, or programs are
 * compared. */
const struct profile_counted *view_input_counted(const struct view_input *in);

/* Whether the view is to be written as a table for programs (rows.h), and not for people. */
bool view_input_is_rows(const struct view_options *options);

/* The unit of trees and graphs for these options. */
static inline enum tree_unit view_input_unit(const struct view_options *options)
{
	return options->unit == VIEW_UNIT_SAMPLES ? TREE_HITS : TREE_GTICKS;
}

/* The value of --threshold, or without that option the view's default for its text. */
double view_input_threshold(const struct view_options *options, double text_default);

#endif
