/* SPDX-License-Identifier: MIT */
/*
 * name_list.c - writes paths of names as lists of words.
 *
 * In: names of any bytes. Out: text.
 */
#include "write/name_list.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define WIDTH 80

static bool is_word(const char *name, size_t n)
{
	return n > 0 && strcspn(name, " ()\"") >= n;
}

void name_list_write(struct out *o, const char *name, size_t n)
{
	size_t i, length;

	if (is_word(name, n)) {
		out_name(o, name, n);
		return;
	}
	out_text(o, "\"");
	for (i = 0; i < n; i += length) {
		length = utf8_control_length(name + i, n - i);
		if (!length)
			length = 1;
		if (name[i] == '"' || name[i] == '\\')
			out_text(o, "\\");
		out_name(o, &name[i], length);
	}
	out_text(o, "\"");
}

/* The columns that name_list_write fills; never more than an int holds. */
static int columns(const char *name, size_t n)
{
	bool quoted = !is_word(name, n);
	int used = quoted ? 2 : 0;
	size_t i;

	for (i = 0; i < n && used < 10 * WIDTH; i++)
		used += out_columns(name + i, n - i) +
			(quoted && (name[i] == '"' || name[i] == '\\'));
	return used;
}

void name_list_begin(struct name_list *w, struct out *o, const struct strings *s, int column)
{
	int width = out_width(o);

	*w = (struct name_list){
		.out = o,
		.strings = s,
		.column = column,
		.at = column,
		.width = width ? width : WIDTH,
	};
}

void name_list_add(struct name_list *w, uint32_t name, const char *before, const char *after)
{
	size_t n;
	const char *bytes = strings_get(w->strings, name, &n);
	int used = columns(bytes, n) + (int)(strlen(before) + strlen(after));

	if (w->at > w->column && w->at + 1 + used > w->width) {
		out_format(w->out, "\n%*s", w->column, "");
		w->at = w->column;
	} else if (w->at > w->column) {
		out_text(w->out, " ");
		w->at++;
	}
	out_text(w->out, before);
	name_list_write(w->out, bytes, n);
	out_text(w->out, after);
	w->at += used;
}
