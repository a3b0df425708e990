/* SPDX-License-Identifier: MIT */
/*
 * sheet.h - text that never has more than some columns and some lines.
 *
 * In: text. Out: the same, lines cut where they are too long.
 */
#ifndef SHEET_H
#define SHEET_H

#include <stddef.h>

#include "write/out.h"

#define SHEET_COLUMNS	 80
#define SHEET_LINE_BYTES 512

/* Begins as all zero but for most_lines. */
struct sheet {
	int most_lines;
	int lines; /* that are full */
	int column;
	size_t n;	/* bytes of the line at hand */
	size_t short_n; /* of them so many fit if ".." follows */
	char line[SHEET_LINE_BYTES];
};

/* All that is written to o until sheet_end goes to the sheet: what fits a terminal of SHEET_COLUMNS columns is cut
 * as there, and any other line that is longer ends with "..". Lines beyond most_lines are dropped. The sheet has
 * to live until sheet_end. */
void sheet_begin(struct sheet *p, struct out *o);
/* How many lines there is still room for. */
int sheet_left(const struct sheet *p);
void sheet_end(struct out *o);

/* Take bytes of the sheet: out.c calls this. */
void sheet_bytes(struct sheet *p, struct out *o, const char *bytes, size_t n);

#endif
