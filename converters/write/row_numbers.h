/* SPDX-License-Identifier: MIT */
/*
 * row_numbers.h - the numbers of a table's rows, by which the next command may name a function.
 *
 * In: names, row by row. Out: the number before each row, and the names by number.
 */
#ifndef ROW_NUMBERS_H
#define ROW_NUMBERS_H

#include "write/out.h"
#include "write/view_input.h"

struct row_numbers {
	bool is_shown; /* rows begin with their numbers */
	bool is_kept;  /* no table gets numbers, and those that there are stay */
	bool is_idle;  /* the table that is being written has none */
	char **names;  /* of rows 1, 2, ... */
	size_t n, size;
};

void row_numbers_free(struct row_numbers *r);

/* The columns of the numbers, 0 if they are not shown. */
int row_numbers_width(const struct view_input *in);
/* A new table of so many rows begins: write the blanks above the column of numbers. Returns its width. If there is a
 * table already, one of fewer than two rows gets no numbers, and those of the former stay. */
int row_numbers_heading(struct out *o, const struct view_input *in, size_t n_rows);
/* A row begins, which is about this function. Returns the width of what was written. */
int row_numbers_row(struct out *o, const struct view_input *in, uint32_t name);

#endif
