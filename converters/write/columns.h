/* SPDX-License-Identifier: MIT */
/*
 * columns.h - tables with a column for each of several resources.
 *
 * In: weights, one of each resource, and a name or a path. Out: a line of text, or a row for programs.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "write/footer.h"
#include "write/name_list.h"
#include "write/rows.h"
#include "write/view_input.h"

struct columns {
	const struct view_input *in;
	struct out *out;
	size_t n;	  /* of resources */
	double threshold; /* of each resource's own total */
	struct footer footer;
	/* Private to columns.c: */
	struct rows rows;
	bool is_rows;
	char **texts;	   /* n keys of JSON */
	const char **keys; /* of a row */
	int *widths;	   /* of the columns of percentages */
	int width;	   /* of all of them */
};

/* What a line says beside its weights. */
enum columns_of {
	COLUMNS_OF_NAMES, /* a name */
	COLUMNS_OF_NODES, /* a depth and a name */
	COLUMNS_OF_PATHS, /* a path */
};

/* What stands above the table, and how its rows are called. */
struct columns_title {
	const char *title;
	const char *parent; /* what --percent parent means; NULL: nothing */
	const char *last;   /* heading of the last column */
	enum columns_of of;
	double text_threshold;
	struct footer footer;
};

/* Begin the table. columns_free is to be called in any case. -1: memory. */
int columns_begin(struct columns *c, const struct view_input *in, struct out *o,
		  const struct columns_title *title, struct error *err);
/* Write what stands below the table. */
void columns_end(struct columns *c);
void columns_free(struct columns *c);

/* Whether all n weights are below the threshold. */
bool columns_are_small(const struct columns *c, const uint64_t *weights);
/* Whether a line of text would have nothing but 0.00 in it, and nobody has asked for such lines by the threshold 0. */
bool columns_are_nil(const struct columns *c, const uint64_t *weights);

/* Write a line. In text the weights are percentages of `wholes`; NULL: of the totals. */
void columns_name(struct columns *c, const uint64_t *weights, uint32_t name, bool is_inline);
void columns_node(struct columns *c, const uint64_t *weights, const uint64_t *wholes,
		  uint32_t depth, uint32_t name, bool is_inline);
void columns_path(struct columns *c, const uint64_t *weights, const uint64_t *wholes,
		  const uint32_t *names, size_t n_names);

#endif
