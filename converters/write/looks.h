/* SPDX-License-Identifier: MIT */
/*
 * looks.h - colours on a terminal: what is heavy stands out, code of libraries steps back.
 *
 * In: shares, names of functions. Out: escape sequences, on a terminal that shows colours.
 */
#ifndef LOOKS_H
#define LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "write/out.h"
#include "write/view_input.h"

/* Begin what has such a share of all, between 0 and 1. */
void looks_share(struct out *o, double share);
/* Begin the name of a function. */
void looks_name(struct out *o, const struct view_input *in, uint32_t name);
/* Go on as before. */
void looks_end(struct out *o);

/* The name of the function's module, as other views have it (symbols_label); empty if that is not known, or if several modules have a
 * function of that name. */
struct event_text looks_module(const struct view_input *in, uint32_t name);

/* A column of figures of a table of text, with a blank behind it. */
struct looks_column {
	const char *heading;
	int width; /* 0: the table has it not */
	int order; /* columns of the greatest order are the first to be left out; those of order 0 never are */
};

#define LOOKS_COLUMNS_MOST 16

struct looks_columns {
	struct looks_column list[LOOKS_COLUMNS_MOST];
	size_t n;
	uint32_t left_out; /* bits, by the places in the list */
};

/* On a terminal, leave out as many columns as it takes for names to have `room` columns. */
void looks_fit(struct looks_columns *c, const struct out *o, int room);
/* The width of all that are there. */
int looks_width(const struct looks_columns *c);
/* Write the headings; a cell, if its column is there; a line that says which columns are left out. */
void looks_headings(struct out *o, const struct looks_columns *c);
void looks_cell(struct out *o, const struct looks_columns *c, size_t i, const char *text);
void looks_format(struct out *o, const struct looks_columns *c, size_t i, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void looks_say_left_out(struct out *o, const struct looks_columns *c);

/* How many rows a table may have on this terminal beside its heading and its footer; 0: any. */
uint64_t looks_rows(const struct out *o, size_t n_processes);

#endif
