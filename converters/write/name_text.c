/* SPDX-License-Identifier: MIT */
/*
 * name_text.c - writes names of functions within a line.
 *
 * In: names of any bytes. Out: text.
 */
#include "write/name_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write/looks.h"

#define MARK		" (inlined)"
#define DOTS		" ... "
#define LEVELS_INDENTED 20
#define NAME_LEAST	12 /* columns of a name that is cut */
#define MARKED_LEAST	16 /* the same, if a mark follows */
#define NAME_ROOM	30 /* on a terminal, for the level, some of the name, and the mark */

void name_text_last(struct out *o, const struct strings *strings, uint32_t name, bool is_inline,
		    int column)
{
	bool has_room = !out_width(o) || out_width(o) - column - (int)strlen(MARK) >= MARKED_LEAST;
	const char *mark = is_inline && has_room ? MARK : "";
	size_t n;
	const char *bytes = strings_shown(strings, name, &n);

	out_name_fit(o, bytes, n, column + (int)strlen(mark));
	out_text(o, mark);
}

void name_text_folded(char *to, const char *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = name_text_folded_byte(from, n, i);
}

/* The number of levels that are indented where names begin in `column`. A terminal may have less
 * room. */
static uint32_t levels_indented(const struct out *o, int column, int least)
{
	int room = out_width(o) - column - (least ? least : NAME_ROOM);

	if (out_width(o) == 0 || room >= 2 * LEVELS_INDENTED)
		return LEVELS_INDENTED;
	return room > 0 ? (uint32_t)room / 2 : 0;
}

/* "... ParseAST (17)", where there is no room for two names. */
static void write_brief_chain(struct out *o, const char *own, size_t n, uint32_t functions,
			      int column)
{
	char count[24];
	int after = snprintf(count, sizeof(count), " (%" PRIu32 ")", functions);

	out_text(o, &DOTS[1]);
	out_name_cut(o, own, n, out_width(o) - column - after - (int)strlen(&DOTS[1]));
	out_text(o, count);
}

/* "first ... own ... last" in that many columns, or nothing if that is too little. */
static bool write_three(struct out *o, const struct strings *strings, const uint32_t names[3],
			int room)
{
	const char *name;
	size_t n;

	for (int i = 0; i < 3; i++) {
		name = strings_shown(strings, names[i], &n);
		room -= out_name_columns(name, n) + (i ? (int)strlen(DOTS) : 0);
	}
	for (int i = 0; i < 3 && room >= 0; i++) {
		name = strings_shown(strings, names[i], &n);
		out_text(o, i ? DOTS : "");
		out_name(o, name, n);
	}
	return room >= 0;
}

/* "_start ... ParseAST, 17 functions". If the function of the program is in the middle, it stands at one of the ends. */
static void write_chain(struct out *o, const struct strings *strings,
			const struct name_text_node *line, int column)
{
	const uint32_t names[3] = {line->name, line->own, line->last};
	bool is_middle = line->own != line->name && line->own != line->last;
	char count[40];
	size_t n, last_n, own_n;
	const char *own = strings_shown(strings, line->own, &own_n);
	const char *first = strings_shown(strings, line->name, &n);
	const char *last = strings_shown(strings, line->last, &last_n);
	int after = snprintf(count, sizeof(count), ", %" PRIu32 " functions", line->n);
	int room = out_width(o) - column - after - (int)strlen(DOTS), of_last;

	if (is_middle && write_three(o, strings, names, room + (int)strlen(DOTS))) {
		out_text(o, count);
		return;
	}
	if (is_middle) {
		last = own;
		last_n = own_n;
	}
	of_last = (int)last_n < room / 2 ? (int)last_n : room - room / 2;
	if (room < 2 * NAME_LEAST &&
	    out_name_columns(first, n) + out_name_columns(last, last_n) > room) {
		write_brief_chain(o, own, own_n, line->n, column);
		return;
	}
	if ((int)n < room / 2)
		of_last = room - (int)n;
	out_name_cut(o, first, n, room - of_last);
	out_text(o, DOTS);
	out_name_cut(o, last, last_n, of_last);
	out_text(o, count);
}

void name_text_node(struct out *o, const struct strings *strings, const struct name_text_node *node,
		    int column)
{
	uint32_t levels = levels_indented(o, column, node->least);
	int indent = 2 * (int)(node->depth < levels ? node->depth : levels);
	char level[24] = "";

	if (node->depth > levels)
		snprintf(level, sizeof(level), "[%" PRIu32 "] ", node->depth);
	if (node->is_only)
		strcat(level, "> ");
	out_format(o, "%*s", indent, "");
	if (node->in)
		looks_name(o, node->in, node->n > 1 ? node->own : node->name);
	out_text(o, level);
	column += indent + (int)strlen(level);
	if (node->n > 1)
		write_chain(o, strings, node, column);
	else
		name_text_last(o, strings, node->name, node->is_inline, column);
	if (node->in)
		looks_end(o);
}
