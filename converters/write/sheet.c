/* SPDX-License-Identifier: MIT */
/*
 * sheet.c - keeps text within some columns and lines.
 *
 * In: bytes. Out: whole lines.
 */
#include "write/sheet.h"

void sheet_begin(struct sheet *p, struct out *o)
{
	out_set_sheet(o, p, SHEET_COLUMNS);
}

int sheet_left(const struct sheet *p)
{
	return p->most_lines - p->lines;
}

void sheet_end(struct out *o)
{
	out_set_sheet(o, NULL, 0);
}

static void end_line(struct sheet *p, struct out *o)
{
	if (p->lines < p->most_lines && p->column > SHEET_COLUMNS) {
		out_bytes(o, p->line, p->short_n);
		out_text(o, "..\n");
	} else if (p->lines < p->most_lines) {
		out_bytes(o, p->line, p->n);
		out_text(o, "\n");
	}
	p->lines += p->lines < p->most_lines;
	p->column = 0;
	p->n = p->short_n = 0;
}

/* A byte that would take the line beyond its columns, or that there is no room for, is not kept. */
static void take(struct sheet *p, const char *byte)
{
	int columns = (*byte & 0xc0) == 0x80 ? 0 : 1;

	if (p->column <= SHEET_COLUMNS)
		p->column += columns;
	if (p->n == SHEET_LINE_BYTES)
		p->column = SHEET_COLUMNS + 1;
	if (p->column > SHEET_COLUMNS)
		return;
	p->line[p->n++] = *byte;
	if (p->column <= SHEET_COLUMNS - 2)
		p->short_n = p->n;
}

void sheet_bytes(struct sheet *p, struct out *o, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			end_line(p, o);
		else
			take(p, &bytes[i]);
	}
}
