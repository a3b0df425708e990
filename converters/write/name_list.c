/* SPDX-License-Identifier: MIT */
/*
 * name_list.c - writes paths of names as lists of words.
 *
 * In: names of any bytes. Out: text.
 */
#include "write/name_list.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define WIDTH	   80
#define CUT	   ".."
#define ROOM_LEAST 12 /* for a name that is cut */
#define SECOND	   6  /* the least column of a line whose name has no room behind w->column, */
#define ROOM_FEW   40 /* if there are so few columns */

static bool is_word(const char *name, size_t n)
{
	return n > 0 && strcspn(name, " ()\"") >= n;
}

/* Write the first n bytes of a name, and what stands for the rest. */
static void write_word(struct out *o, const char *name, size_t n, bool is_quoted, const char *rest)
{
	const char *quote = is_quoted ? "\"" : "";
	size_t i, length;

	out_text(o, quote);
	for (i = 0; i < n; i += length) {
		length = utf8_control_length(name + i, n - i);
		if (!length)
			length = 1;
		if (is_quoted && (name[i] == '"' || name[i] == '\\'))
			out_text(o, "\\");
		out_name(o, &name[i], length);
	}
	out_text(o, rest);
	out_text(o, quote);
}

void name_list_write(struct out *o, const char *name, size_t n)
{
	write_word(o, name, n, !is_word(name, n), "");
}

/* The columns that name_list_write fills; never more than an int holds. Sets *fits to the number of
 * bytes that fill no more than `room`. */
static int columns(const char *name, size_t n, int room, size_t *fits)
{
	bool quoted = !is_word(name, n);
	int used = quoted ? 2 : 0;
	size_t i;

	*fits = 0;
	for (i = 0; i < n && used < INT_MAX / 4; i++) {
		used += out_columns(name + i, n - i) +
			(quoted && (name[i] == '"' || name[i] == '\\'));
		if (used <= room)
			*fits = i + 1;
	}
	return used;
}

void name_list_begin(struct name_list *w, struct out *o, const struct strings *s, int column)
{
	int width = out_width(o), room = width - column;

	*w = (struct name_list){
		.out = o,
		.strings = s,
		.column = column,
		.at = column,
		.width = width ? width : WIDTH,
		.room = !width		    ? INT_MAX
			: room > ROOM_LEAST ? room
					    : ROOM_LEAST,
	};
}

void name_list_begin_line(struct name_list *w, struct out *o, const struct strings *s, int column)
{
	name_list_begin(w, o, s, column);
	if (!out_width(o))
		w->width = INT_MAX;
}

void name_list_add(struct name_list *w, uint32_t name, const char *before, const char *after)
{
	size_t n;
	const char *bytes = strings_shown(w->strings, name, &n);

	name_list_add_text(w, bytes, n, before, after);
}

void name_list_add_text(struct name_list *w, const char *bytes, size_t n, const char *before,
			const char *after)
{
	int around = (int)(strlen(before) + strlen(after)), used, room = w->room - around;
	size_t fits;
	bool is_cut;

	used = columns(bytes, n, room - (int)strlen(CUT), &fits) + around;
	is_cut = used > w->room;
	if (is_cut)
		used = w->room;

	if (w->width < INT_MAX && w->width - w->column < ROOM_FEW && used > w->width - w->column) {
		w->at = used < w->width - SECOND ? w->width - used : SECOND;
		out_format(w->out, "\n%*s", w->at, "");
	} else if (w->at > w->column && used >= w->width - w->at) {
		out_format(w->out, "\n%*s", w->column, "");
		w->at = w->column;
	} else if (w->at > w->column) {
		out_text(w->out, " ");
		w->at++;
	}
	out_text(w->out, before);
	write_word(w->out, bytes, is_cut ? fits : n, !is_word(bytes, n), is_cut ? CUT : "");
	out_text(w->out, after);
	w->at = used < INT_MAX / 2 - w->at ? w->at + used : INT_MAX / 2;
}
