/* SPDX-License-Identifier: MIT */
/*
 * out_name.c - writes names, and cuts those that a terminal has no room for.
 *
 * In: bytes from views. Out: text whose width is known.
 */
#include <string.h>

#include "base/utf8.h"
#include "write/out.h"

#define NAME_COLUMNS_LEAST 12
#define ROOM_LEAST	   3	    /* "a.." */
#define PART_LEAST	   4	    /* columns for a last part that is cut as well */
#define BEHIND		   12	    /* columns that are left for what follows such a name */
#define OWN_LINE	   "\n    " /* before a name for which its line has no room */

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

int out_name_columns(const char *bytes, size_t n)
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

	if (last == n || room < PART_LEAST) {
		last = 0;
	} else {
		out_text(o, "..");
		if (out_name_columns(bytes + last, n - last) <= room) {
			out_name(o, bytes + last, n - last);
			return;
		}
		room -= 2;
	}
	fits = fitting(bytes + last, n - last, room);
	out_name(o, bytes + last, fits);
	out_text(o, "..");
}

/* Write a name that is too long. */
static void write_cut(struct out *o, const char *bytes, size_t n, int room)
{
	size_t last;

	room -= 2;
	last = last_part(bytes, n);
	if (out_name_columns(bytes + last, n - last) > room * 2 / 3) {
		write_end(o, bytes, n, last, room);
		return;
	}
	out_name(o, bytes, fitting(bytes, n, room - out_name_columns(bytes + last, n - last)));
	out_text(o, "..");
	out_name(o, bytes + last, n - last);
}

/* Where the line begins of a name that is a place in a function, at ":12" of "f(int) a.c:12" and at ":12)" of "f (a.py:12)", or
 * the offset of "f+0x12". Returns n if the name is none. */
static size_t line_begin(const char *bytes, size_t n)
{
	size_t end = n && bytes[n - 1] == ')' ? n - 1 : n, at = end;

	while (at && strchr("0123456789abcdef", bytes[at - 1]))
		at--;
	if (end == n && at > 3 && at < end && memcmp(bytes + at - 3, "+0x", 3) == 0)
		return at - 3;
	for (at = end; at && bytes[at - 1] >= '0' && bytes[at - 1] <= '9';)
		at--;
	return at > 1 && at < end && bytes[at - 1] == ':' && bytes[at - 2] != ':' ? at - 1 : n;
}

/* Where the end of a name begins that is kept: a place's file and line, or if these fill most of the room its line. Returns n if
 * the name is no place or there is no room. */
static size_t kept_begin(const char *bytes, size_t n, int room)
{
	size_t line = line_begin(bytes, n), file = line;

	while (file && bytes[file - 1] != ' ')
		file--;
	if (line < n && file > 1 && bytes[line] == ':' &&
	    out_name_columns(bytes + file - 1, n - file + 1) <= room * 2 / 3)
		return file - 1;
	return out_name_columns(bytes + line, n - line) + PART_LEAST <= room ? line : n;
}

void out_name_cut(struct out *o, const char *bytes, size_t n, int room)
{
	size_t kept;

	room = room > ROOM_LEAST ? room : ROOM_LEAST;
	if (out_name_columns(bytes, n) <= room) {
		out_name(o, bytes, n);
		return;
	}
	kept = kept_begin(bytes, n, room);
	write_cut(o, bytes, kept, room - out_name_columns(bytes + kept, n - kept));
	out_name(o, bytes + kept, n - kept);
}

void out_name_fit(struct out *o, const char *bytes, size_t n, int column)
{
	int room = out_width(o) - column;

	if (out_width(o) == 0) {
		out_name(o, bytes, n);
		return;
	}
	if (room < NAME_COLUMNS_LEAST && out_name_columns(bytes, n) > room) {
		out_text(o, OWN_LINE);
		room = out_width(o) - (int)strlen(&OWN_LINE[1]) - BEHIND;
	}
	out_name_cut(o, bytes, n, room);
}

void out_line_fit(struct out *o, const char *bytes, size_t n, int column)
{
	int room = out_width(o) - column;

	if (!out_width(o) || out_name_columns(bytes, n) <= room) {
		out_name(o, bytes, n);
		return;
	}
	out_name(o, bytes, fitting(bytes, n, room - 2));
	out_text(o, "..");
}
