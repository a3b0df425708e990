/* SPDX-License-Identifier: MIT */
/*
 * out_name.c - writes names, and lines that would be wider than the terminal.
 *
 * In: bytes from views. Out: text whose width is known.
 */
#include <string.h>

#include "base/utf8.h"
#include "write/out.h"

#define NAME_COLUMNS_LEAST 12

void out_name(struct out *o, const char *bytes, size_t n)
{
	size_t i, from = 0;

	for (i = 0; i < n; i++) {
		size_t length = utf8_control_length(bytes + i, n - i);

		if (!length)
			continue;
		out_bytes(o, bytes + from, i - from);
		for (from = i + length; i < from; i++)
			out_format(o, "\\x%02x", (unsigned char)bytes[i]);
		i--;
	}
	out_bytes(o, bytes + from, n - from);
}

int out_columns(const char *bytes, size_t n)
{
	size_t control = utf8_control_length(bytes, n);

	if (control)
		return 4 * (int)control;
	return (*bytes & 0xc0) == 0x80 ? 0 : 1;
}

static int columns_of(const char *bytes, size_t n)
{
	int used = 0;

	for (size_t i = 0; i < n; i++)
		used += out_columns(bytes + i, n - i);
	return used;
}

/* How many bytes of a name fit. */
static size_t fitting(const char *bytes, size_t n, int room)
{
	int used = 0;
	size_t i, fits = 0;

	for (i = 0; i < n && used <= room; i++) {
		used += out_columns(bytes + i, n - i);
		if (used <= room)
			fits = i + 1;
	}
	return fits;
}

#define UNNAMED "(anonymous namespace)"

/* Where the last part of a qualified name begins, with the "::" before it: "::find" of
 * "std::map<a::b, c>::find". Returns n if the name has no such part. */
static size_t last_part(const char *bytes, size_t n)
{
	size_t i, at = n;
	int depth = 0;

	for (i = 0; i < n; i++) {
		if (n - i > sizeof(UNNAMED) && memcmp(bytes + i, UNNAMED, sizeof(UNNAMED) - 1) == 0)
			i += sizeof(UNNAMED) - 1;
		if (bytes[i] == '(' && depth == 0)
			break;
		depth += (bytes[i] == '<') - (bytes[i] == '>' && i && bytes[i - 1] != '-');
		if (depth == 0 && i && bytes[i] == ':' && bytes[i - 1] == ':')
			at = i - 1;
	}
	return depth ? n : at;
}

/* The last part leaves no room for what qualifies it: that is left out, and what is still too long of the
 * last part. `room` has no place for the dots yet that one cut needs. */
static void write_end(struct out *o, const char *bytes, size_t n, size_t last, int room)
{
	size_t fits;

	if (last == n) {
		last = 0;
	} else {
		out_text(o, "..");
		if (columns_of(bytes + last, n - last) <= room) {
			out_name(o, bytes + last, n - last);
			return;
		}
		room -= 2;
	}
	fits = fitting(bytes + last, n - last, room);
	out_name(o, bytes + last, fits);
	out_text(o, "..");
}

void out_name_fit(struct out *o, const char *bytes, size_t n, int column)
{
	int room = out_width(o) - column > NAME_COLUMNS_LEAST ? out_width(o) - column
							      : NAME_COLUMNS_LEAST;
	size_t last;

	if (out_width(o) == 0 || columns_of(bytes, n) <= room) {
		out_name(o, bytes, n);
		return;
	}
	room -= 2;
	last = last_part(bytes, n);
	if (columns_of(bytes + last, n - last) > room * 2 / 3) {
		write_end(o, bytes, n, last, room);
		return;
	}
	out_name(o, bytes, fitting(bytes, n, room - columns_of(bytes + last, n - last)));
	out_text(o, "..");
	out_name(o, bytes + last, n - last);
}

#define FOLDED "  " /* before what goes on */

/* The end of a piece of the line that fits: at the last blank or behind the last comma, or if there is neither,
 * where the room ends. */
static size_t piece_of(const char *line, size_t n, int room)
{
	size_t end = fitting(line, n, room), at = end;

	if (end == n || end == 0)
		return n;
	while (at > 0 && line[at] != ' ' && line[at - 1] != ',')
		at--;
	return at ? at : end;
}

static void fold_line(struct out *o, const char *line, size_t n)
{
	int room = out_width(o);

	while (columns_of(line, n) > room) {
		size_t piece = piece_of(line, n, room);

		out_bytes(o, line, piece);
		while (piece < n && line[piece] == ' ')
			piece++;
		line += piece;
		n -= piece;
		if (!n)
			return;
		out_text(o, "\n" FOLDED);
		room = out_width(o) - (int)strlen(FOLDED);
	}
	out_bytes(o, line, n);
}

void out_folded(struct out *o, const char *text, size_t n)
{
	while (n > 0) {
		const char *end = memchr(text, '\n', n);
		size_t line = end ? (size_t)(end - text) : n;

		fold_line(o, text, line);
		if (!end)
			return;
		out_text(o, "\n");
		text += line + 1;
		n -= line + 1;
	}
}
