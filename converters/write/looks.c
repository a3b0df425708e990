/* SPDX-License-Identifier: MIT */
/*
 * looks.c - writes escape sequences for colours, and says how much fits a terminal.
 *
 * In: shares, names. Out: text.
 */
#include "write/looks.h"

#include <string.h>

#define HEAVY	    0.10
#define SOME	    0.02
#define OTHER_LINES 12 /* heading, rules, footer and the prompt behind them */
#define ROWS_LEAST  5

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
	const char *slash;

	if (module == PROFILE_NO_MODULE || in->profile->modules[module].path == STRINGS_NONE)
		return text;
	text.bytes =
		strings_get(in->profile->strings, in->profile->modules[module].path, &text.length);
	slash = memrchr(text.bytes, '/', text.length);
	if (slash) {
		text.length -= (size_t)(slash + 1 - text.bytes);
		text.bytes = slash + 1;
	}
	return text;
}

uint64_t looks_rows(const struct out *o, size_t n_processes)
{
	int processes = n_processes < 4 ? (int)n_processes : 2;
	int rows = out_height(o) - OTHER_LINES - processes;

	if (!out_height(o))
		return 0;
	return rows > ROWS_LEAST ? (uint64_t)rows : ROWS_LEAST;
}
