/* SPDX-License-Identifier: MIT */
/*
 * compared_table.h - the figures of what two programs have used, with what stands above and below them.
 *
 * In: rows of a comparison. Out: text, or values of rows for programs.
 */
#ifndef COMPARED_TABLE_H
#define COMPARED_TABLE_H

#include <stdbool.h>

#include "compare/comparison.h"
#include "write/out.h"
#include "write/rows.h"
#include "write/view_input.h"

/* A resource that is compared. */
struct compared_resource {
	struct comparison comparison;
	double largest;	  /* of the means of both sides, scaled as these */
	double divisor;	  /* of the unit that the text is written in */
	const char *unit; /* "ms" */
	int decimals;	  /* of a figure in this unit */
	int width;	  /* of a mean in text, beside those of other resources */
};

/* A row has n struct comparison_row, one for each resource. */
struct compared_table {
	const struct view_input *in;
	struct out *out;
	struct compared_resource *of;
	size_t n;
	bool has_few; /* text has fewer figures: of several resources, or on a narrow terminal */
	double threshold; /* percent of the larger total */
	const char *what; /* what a row is: "function" */
	const char *root; /* title of the root functions; NULL: none */
	struct rows rows; /* for programs */
	const char *const
		*keys;	  /* of rows: those of several resources; to be set before the head */
	int column;	  /* in which a name begins behind the figures */
	uint64_t n_shown; /* rows, so far */
	uint64_t small,
		beyond; /* rows that were left out, below the threshold and because of --top */
	uint64_t above; /* shown because of one below them */
	uint64_t small_new, small_gone; /* how many of `small` are on one side alone */
};

/* Begin to compare; the rows can be made then. -1: memory. compared_table_free in any case. */
int compared_table_begin(struct compared_table *t, const struct view_input *in, struct out *o,
			 const char *what, struct error *err);
void compared_table_free(struct compared_table *t);

/* Write what stands above the table, whose last column has the heading `last`; and below it. -1: memory. */
int compared_table_head(struct compared_table *t, const char *title, const char *view,
			const char *last, struct error *err);
void compared_table_end(struct compared_table *t);

/* Whether the row is left out, because it is small or because there are enough; it is counted. */
bool compared_table_hides(struct compared_table *t, const struct comparison_row *row);

/* A row that is hidden is shown all the same. */
void compared_table_unhide(struct compared_table *t, const struct comparison_row *row);

/* Write the figures of a row, of several resources fewer in text; a name follows. With is_rows they are the first values of a row of those columns.
 * Text is dim between the two on a terminal, unless the change is significant. */
void compared_table_row(struct compared_table *t, const struct comparison_row *row,
			const char *const *columns);
void compared_table_row_end(struct compared_table *t, const struct comparison_row *row);

/* The keys of the figures of one resource, for lists of columns. */
#define COMPARED_KEYS                                                                              \
	"before", "after", "change", "plus_minus", "p", "verdict", "before_fraction",              \
		"after_fraction"

/* Sorts significant rows first, then by the size of the change; by that of the first resource that tells them apart. */
int compared_table_compare(const struct comparison_row *x, const struct comparison_row *y,
			   size_t n);

/* Whether a row is of no resource significant, and its changes are below the threshold. */
bool compared_table_is_small(const struct compared_table *t, const struct comparison_row *row);

/* Whether nothing was used of any resource. */
bool compared_table_is_nothing(const struct compared_table *t, const struct comparison_row *row);

#endif
