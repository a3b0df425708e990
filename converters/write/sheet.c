/* SPDX-License-Identifier: MIT */
/*
 * sheet.c - keeps text within some columns and lines.
 *
 * In: bytes. Out: whole lines.
 */
#include "write/sheet.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define INDENT	    2 /* of what goes on, from the beginning of a line that is not a row of a table */
#define INDENT_MOST 4
#define ESCAPE	    '\033'

void sheet_begin(struct sheet *p, struct out *o, int width)
{
	out_set_sheet(o, p, width);
}

int sheet_left(const struct sheet *p)
{
	return p->most_lines ? p->most_lines - p->lines : INT_MAX;
}

/* An escape sequence of colours: the bytes of it. 0: there is none. */
static size_t escape_length(const char *bytes, size_t n)
{
	size_t i = 2;

	if (n < 2 || bytes[0] != ESCAPE || bytes[1] != '[')
		return 0;
	while (i < n && !(bytes[i] >= '@' && bytes[i] <= '~'))
		i++;
	return i < n ? i + 1 : n;
}

/* How many bytes of the line fit; what follows them fills a column. */
static size_t fitting(const char *line, size_t n, int room)
{
	size_t i = 0, length;

	while (i < n) {
		length = escape_length(line + i, n - i);
		if (!length && (line[i] & 0xc0) != 0x80 && room-- <= 0)
			break;
		i += length ? length : 1;
	}
	return i;
}

/* Whether the line may go on in the next one before line[at]: a number keeps its sign. */
static bool is_gap(const char *line, size_t at)
{
	return (line[at] == ' ' && line[at + 1] != '%') || line[at - 1] == ',';
}

/* The end of the piece of a line that fits, which begins with `begin` blanks: behind the last comma if that leaves less than
 * a third of it empty, or at the last gap, or if there is neither, where the room ends. */
static size_t piece_of(const char *line, size_t n, int room, size_t begin)
{
	size_t end = fitting(line, n, room), at, comma;

	if (end == n || end == 0)
		return n;
	for (at = end; at > begin && !is_gap(line, at);)
		at--;
	for (comma = at; comma > begin && line[comma - 1] != ',';)
		comma--;
	if (at <= begin)
		return end;
	return comma > end * 2 / 3 ? comma : at;
}

/* Nobody sees blanks at the end of a line. */
static size_t trimmed(const char *line, size_t n)
{
	while (n > 0 && line[n - 1] == ' ')
		n--;
	return n;
}

static void end_piece(struct sheet *p, struct out *o)
{
	out_text(o, "\n");
	p->lines++;
}

/* Write the line at hand without its end. */
static void write_line(struct sheet *p, struct out *o)
{
	const char *line = p->line;
	int room = out_width(o), indent;
	size_t n = p->n, piece, begin;

	p->n = 0;
	n = trimmed(line, n);
	if (!n)
		return;
	p->line[n] = '\0';
	begin = strspn(line, " ");
	indent = begin > INDENT_MOST ? INDENT : (int)begin + INDENT;
	for (; (piece = piece_of(line, n, room, begin)) < n && sheet_left(p) > 0; begin = 0) {
		out_bytes(o, line, trimmed(line, piece));
		while (piece < n && line[piece] == ' ')
			piece++;
		line += piece;
		n -= piece;
		if (!n)
			break;
		end_piece(p, o);
		if (sheet_left(p) > 0)
			out_format(o, "%*s", indent, "");
		room = out_width(o) - indent;
	}
	if (sheet_left(p) > 0)
		out_bytes(o, line, n);
}

void sheet_bytes(struct sheet *p, struct out *o, const char *bytes, size_t n)
{
	while (n > 0 && sheet_left(p) > 0) {
		const char *end = memchr(bytes, '\n', n);
		size_t part = end ? (size_t)(end - bytes) : n;

		/* Without memory the line goes out in pieces, and is as long as it is. */
		if (!array_reserve(&p->line, &p->size, p->n + part + 1, 1)) {
			out_bytes(o, p->line, p->n);
			out_bytes(o, bytes, part);
			p->n = 0;
		} else {
			memcpy(p->line + p->n, bytes, part);
			p->n += part;
		}
		if (!end)
			return;
		write_line(p, o);
		if (sheet_left(p) > 0)
			end_piece(p, o);
		bytes = end + 1;
		n -= part + 1;
	}
}

void sheet_end(struct sheet *p, struct out *o)
{
	out_set_sheet(o, NULL, out_width(o));
	write_line(p, o);
	out_set_sheet(o, NULL, 0);
	free(p->line);
	p->line = NULL;
	p->n = p->size = 0;
}
