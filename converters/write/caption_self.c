/* SPDX-License-Identifier: MIT */
/*
 * caption_self.c - writes the lines above a table that say whose the self is, or how it would say more.
 *
 * In: a tree. Out: text.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols.h"
#include "write/caption.h"
#include "write/weight.h"

/* Whether most of what is shown was used by what functions of a script have called, so that these have no self of their own. */
static bool is_below_scripts(const struct tree *t)
{
	struct error unused;
	uint32_t *owners = tree_owners(t, &unused);
	uint64_t below = 0;

	for (size_t i = 1; owners && i < t->n_nodes; i++)
		if (owners[i] != i && tree_is_interpreted(t, t->nodes[owners[i]].name) &&
		    !tree_is_interpreted(t, t->nodes[i].name))
			below += t->nodes[i].self;
	free(owners);
	return below > t->nodes[0].total / 2;
}

void caption_self(struct out *o, const struct view_input *in)
{
	if (view_input_is_of_program(in))
		out_text(o, "self is of the program's nearest function (--self leaf: of the "
			    "innermost one)\n");
	else if (in->tree && in->options->self == VIEW_SELF_DEFAULT && is_below_scripts(in->tree))
		out_text(o, "self is of the innermost functions (--self program: of the script's "
			    "functions)\n");
}

#define LIBRARY_LEAST 0.3 /* of all: a share of libraries of which their callers should be known */

/* How much of a C++ program is in what it only calls: in libraries, or in what templates of one put into it. 0: it is none. */
static double share_of_libraries(const struct tree *t)
{
	uint64_t self = 0;
	bool is_cpp = false;

	for (size_t i = 1; i < t->n_nodes; i++) {
		uint32_t name = t->nodes[i].name;
		const char *text = strings_get(t->strings, name, NULL);

		if (tree_origin(t, name) != TREE_OF_SYSTEM || !tree_is_function(t, name))
			continue;
		self += t->nodes[i].self;
		is_cpp |= !strncmp(text, "std::", 5) || !strncmp(text, "operator new", 12);
	}
	return is_cpp ? weight_fraction(self, t->nodes[0].total) : 0;
}

void caption_libraries(struct out *o, const struct view_input *in)
{
	double share;

	if (!in->tree || in->profile->n_columns || in->options->self != VIEW_SELF_DEFAULT ||
	    view_input_is_of_program(in) || is_below_scripts(in->tree))
		return;
	share = share_of_libraries(in->tree);
	if (share >= LIBRARY_LEAST)
		out_format(o, "%.0f %% is in functions of libraries: --tree shows who calls them\n",
			   share * 100);
}

#define GENERATED_LEAST                                                                            \
	0.05 /* of all: a share of generated code of which the functions should be known */

/* In profiles of others the name means something else. */
void caption_generated(struct out *o, const struct view_input *in)
{
	const struct tree *t = in->tree;
	uint64_t self = 0;
	double share;

	if (!t || in->profile->n_columns || !in->profile->n_processes ||
	    in->profile->processes[0].recorder == STRINGS_NONE)
		return;
	for (size_t i = 1; i < t->n_nodes; i++)
		if (!strcmp(strings_get(t->strings, t->nodes[i].name, NULL), SYMBOLS_UNKNOWN))
			self += t->nodes[i].self;
	share = weight_fraction(self, t->nodes[0].total);
	if (share >= GENERATED_LEAST)
		out_format(o,
			   "%.0f %% is in generated code without names: a perf map has them "
			   "(cpsample --jit)\n",
			   share * 100);
}
