/* SPDX-License-Identifier: MIT */
/*
 * looks.c - writes escape sequences for colours, and says how much fits a terminal.
 *
 * In: shares, names. Out: text.
 */
#include "write/looks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HEAVY	    0.10
#define SOME	    0.02
#define OTHER_LINES 12 /* heading, rules, footer and the prompt behind them */
#define ROWS_LEAST  5
#define CELL_BYTES  64

void looks_share(struct out *o, double share)
{
	if (out_colour(o) && share >= SOME)
		out_text(o, share >= HEAVY ? "\033[1;31m" : "\033[33m");
}

void looks_end(struct out *o)
{
	if (out_colour(o))
		out_text(o, "\033[0m");
}

static uint32_t module_of(const struct view_input *in, uint32_t name)
{
	const struct tree *t = in->tree;

	return t && name < t->n_modules && t->modules[name] != TREE_SEVERAL_MODULES
		       ? t->modules[name] - 1
		       : PROFILE_NO_MODULE;
}

static bool is_program(const struct profile *p, uint32_t module)
{
	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].exe == p->modules[module].path)
			return true;
	return false;
}

void looks_name(struct out *o, const struct view_input *in, uint32_t name)
{
	uint32_t module = module_of(in, name);

	if (out_colour(o) && module != PROFILE_NO_MODULE && !is_program(in->profile, module))
		out_text(o, "\033[2m");
}

struct event_text looks_module(const struct view_input *in, uint32_t name)
{
	uint32_t module = module_of(in, name);
	struct event_text text = {"", 0};
	const char *slash, *label;

	if (module == PROFILE_NO_MODULE || in->profile->modules[module].path == STRINGS_NONE)
		return text;
	label = in->symbols ? symbols_label(in->symbols, module) : NULL;
	if (label)
		return (struct event_text){label, strlen(label)};
	text.bytes =
		strings_get(in->profile->strings, in->profile->modules[module].path, &text.length);
	slash = memrchr(text.bytes, '/', text.length);
	if (slash) {
		text.length -= (size_t)(slash + 1 - text.bytes);
		text.bytes = slash + 1;
	}
	return text;
}

static bool has_column(const struct looks_columns *c, size_t i)
{
	return c->list[i].width && !(c->left_out >> i & 1);
}

int looks_width(const struct looks_columns *c)
{
	int width = 0;

	for (size_t i = 0; i < c->n; i++)
		width += has_column(c, i) ? c->list[i].width + 1 : 0;
	return width;
}

/* The last one of the greatest order that is there; n: none may go. */
static size_t next_left_out(const struct looks_columns *c)
{
	size_t next = c->n;

	for (size_t i = 0; i < c->n; i++)
		if (has_column(c, i) && c->list[i].order &&
		    (next == c->n || c->list[i].order >= c->list[next].order))
			next = i;
	return next;
}

void looks_fit(struct looks_columns *c, const struct out *o, int room)
{
	size_t next;

	while (out_width(o) && looks_width(c) + room > out_width(o) &&
	       (next = next_left_out(c)) < c->n)
		c->left_out |= (uint32_t)1 << next;
}

void looks_cell(struct out *o, const struct looks_columns *c, size_t i, const char *text)
{
	if (has_column(c, i))
		out_format(o, "%*s ", c->list[i].width, text);
}

void looks_format(struct out *o, const struct looks_columns *c, size_t i, const char *format, ...)
{
	char text[CELL_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	looks_cell(o, c, i, text);
}

void looks_headings(struct out *o, const struct looks_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		looks_cell(o, c, i, c->list[i].heading);
}

void looks_say_left_out(struct out *o, const struct looks_columns *c)
{
	const char *before = "not shown in so few columns: ";

	for (size_t i = 0; i < c->n; i++)
		if (c->left_out >> i & 1) {
			out_format(o, "%s%s", before, c->list[i].heading);
			before = ", ";
		}
	out_text(o, c->left_out ? "\n" : "");
}

uint64_t looks_rows(const struct out *o, size_t n_processes)
{
	int processes = n_processes < 4 ? (int)n_processes : 2;
	int rows = out_height(o) - OTHER_LINES - processes;

	if (!out_height(o))
		return 0;
	return rows > ROWS_LEAST ? (uint64_t)rows : ROWS_LEAST;
}
