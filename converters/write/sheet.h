/* SPDX-License-Identifier: MIT */
/*
 * sheet.h - text that never has more than some columns and some lines.
 *
 * In: text. Out: the same, lines folded where they are too long.
 */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "write/out.h"

/* Begins as all zero but for most_lines. */
struct sheet {
	int most_lines;	  /* 0: any number */
	bool has_colours; /* escape sequences are let through, and fill no column */
	int lines;	  /* that are full */
	char *line;	  /* the line at hand */
	size_t n, size;
};

/* All that is written to o until sheet_end goes to the sheet, and out_width(o) is `width`. A line that is longer goes on
 * in the next one: behind a comma or at a blank, if there is one, with two blanks more before the rest. Lines beyond
 * most_lines are dropped. The sheet has to live until sheet_end. */
void sheet_begin(struct sheet *p, struct out *o, int width);
/* How many lines there is still room for. */
int sheet_left(const struct sheet *p);
/* Write the line at hand, which has no end, and free what the sheet holds. */
void sheet_end(struct sheet *p, struct out *o);

/* Take bytes of the sheet: out.c calls this. */
void sheet_bytes(struct sheet *p, struct out *o, const char *bytes, size_t n);

#endif
