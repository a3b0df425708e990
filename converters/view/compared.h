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
#include "write/compared_table.h"
#include "write/out.h"
#include "write/view_input.h"

/* Whether the profile is one of two programs. */
bool compared(const struct view_input *in);

/* Calls of one function by another, and call paths. */
int compared_edges(const struct view_input *in, struct out *o, struct error *err);

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

#endif
