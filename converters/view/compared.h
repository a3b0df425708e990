/* SPDX-License-Identifier: MIT */
/*
 * compared.h - views of two programs that are compared (--base).
 *
 * In: struct tree whose columns are runs. Out: text, or rows. Each of the functions at the end is what the
 * view of that name writes then.
 */
#ifndef COMPARED_H
#define COMPARED_H

#include <stdbool.h>

#include "compare/comparison.h"
#include "write/out.h"
#include "write/rows.h"
#include "write/view_input.h"

/* Whether the profile is one of two programs. */
bool compared(const struct view_input *in);

/* Functions by self, or by total. `view` is the name of the view. */
int compared_functions(const struct view_input *in, struct out *o, const char *title,
		       const char *view, bool by_total, struct error *err);

/* The tree, with the totals of its nodes. A node is shown if it has changed, or one below it has. */
int compared_tree(const struct view_input *in, struct out *o, struct error *err);

/* Calls of one function by another, and call paths. */
int compared_edges(const struct view_input *in, struct out *o, struct error *err);
int compared_callpath(const struct view_input *in, struct out *o, struct error *err);

/* The bottom-up tree: what was running, with its callers. Branches that are below the threshold in both programs are not
 * compared. */
int compared_bottomup(const struct view_input *in, struct out *o, struct error *err);

/* Contexts (contexts.h). */
int compared_contexts(const struct view_input *in, struct out *o, struct error *err);

/* Functions by total, and below each the calls that it makes, as --graph has them; or its callers above it and its callees
 * below it, as gprof's report does. */
int compared_graph(const struct view_input *in, struct out *o, struct error *err);
int compared_callgraph(const struct view_input *in, struct out *o, struct error *err);

/* The call graph as a picture. */
int compared_dot(const struct view_input *in, struct out *o, struct error *err);

/* The self of each node before and after, for --folded: see comparison_counts. */
int compared_counts(const struct view_input *in, uint64_t **before, uint64_t **after,
		    struct error *err);

/* ---- compared_table.c: what these tables have in common ------------------------------------------ */

struct compared_table {
	const struct view_input *in;
	struct out *out;
	struct comparison comparison;
	double threshold; /* percent of the larger total */
	double largest;	  /* of the means of both sides, scaled as these */
	const char *what; /* what a row is: "function" */
	struct rows rows; /* for programs */
	double divisor;	  /* of the unit that the text is written in */
	const char *unit; /* "ms" */
	int decimals;	  /* of a figure in this unit */
	uint64_t n_shown; /* rows, so far */
	uint64_t small,
		beyond; /* rows that were left out, below the threshold and because of --top */
	uint64_t small_new, small_gone; /* how many of `small` are on one side alone */
};

/* The column in which a name begins behind the figures. */
#define COMPARED_COLUMN 51

/* Begin to compare; the rows can be made then. -1: memory. compared_table_free in any case. */
int compared_table_begin(struct compared_table *t, const struct view_input *in, struct out *o,
			 const char *what, struct error *err);
void compared_table_free(struct compared_table *t);

/* Write what stands above the table, whose last column has the heading `last`; and below it. */
void compared_table_head(struct compared_table *t, const char *title, const char *view,
			 const char *last);
void compared_table_end(struct compared_table *t);

/* Whether the row is left out, because it is small or because there are enough; it is counted. */
bool compared_table_hides(struct compared_table *t, const struct comparison_row *row);

/* A row that is hidden is shown all the same. */
void compared_table_unhide(struct compared_table *t, const struct comparison_row *row);

/* Write the figures of a row; a name follows. With is_rows they are the first values of a row of those columns.
 * Text is dim between the two on a terminal, unless the change is significant. */
void compared_table_row(struct compared_table *t, const struct comparison_row *row,
			const char *const *columns);
void compared_table_row_end(struct compared_table *t, const struct comparison_row *row);

/* The keys of the figures, for lists of columns. */
#define COMPARED_KEYS                                                                              \
	"before", "after", "change", "plus_minus", "p", "verdict", "before_fraction",              \
		"after_fraction"

/* Sorts significant rows first, then by the size of the change. */
int compared_table_compare(const struct comparison_row *x, const struct comparison_row *y);

/* Whether a row is not significant, and its change is below the threshold. */
bool compared_table_is_small(const struct compared_table *t, const struct comparison_row *row);

/* ---- compared_ranking.c: parts of a tree, judged and sorted ---------------------------------------- */

struct compared_ranking {
	struct comparison_row *rows; /* by part */
	uint32_t *order;	     /* the parts as compared_table_compare sorts them */
	size_t n;
};

/* Compare the n parts that the measure knows. compared_ranking_free in any case. */
int compared_ranking_make(struct compared_ranking *r, const struct comparison *c,
			  const struct comparison_measure *measure, size_t n, struct error *err);
void compared_ranking_free(struct compared_ranking *r);

/* ---- compared_tree.c: nodes that are indented ------------------------------------------------------ */

struct compared_node {
	uint32_t parent, depth, name;
	bool is_inline;
};

/* Nodes in preorder. Node 0 is above the outermost ones, and is not shown. */
struct compared_nodes {
	const char *title, *view, *last; /* see compared_table_head */
	struct compared_node *list;
	struct comparison_row *rows; /* by node */
	size_t n;
};

/* Write the nodes that have changed, and those that they are below. -1: memory. */
int compared_nodes_write(struct compared_table *t, const struct compared_nodes *nodes,
			 struct error *err);

#endif
