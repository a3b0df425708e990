/* SPDX-License-Identifier: MIT */
/*
 * view_input.c - reads the results of stages for views, whether the profile has stacks or not.
 *
 * In: struct view_input. Out: the total and the functions of a tree or call graph.
 */
#include "write/view_input.h"

#include <stdlib.h>
#include <string.h>

uint64_t view_input_total(const struct view_input *in)
{
	return in->tree ? in->tree->total : in->graph->total;
}

/* Side by side all resources have the same rows. */
static bool is_of_calls(const struct profile *p)
{
	for (size_t i = 0; i < profile_count_shown(p); i++)
		if (!profile_is_of_calls(p, profile_shown(p, i)))
			return false;
	return true;
}

bool view_input_options_are_of_program(const struct view_options *options, const struct profile *p)
{
	return options->self == VIEW_SELF_DEFAULT ? is_of_calls(p)
						  : options->self == VIEW_SELF_PROGRAM;
}

bool view_input_is_of_program(const struct view_input *in)
{
	return in->tree && view_input_options_are_of_program(in->options, in->profile);
}

struct tree_function *view_input_functions_of(const struct view_input *in, const struct tree *t,
					      size_t *n, struct error *err)
{
	return view_input_is_of_program(in) ? tree_functions_of_program(t, n, err)
					    : tree_functions(t, n, err);
}

struct tree_function *view_input_functions(const struct view_input *in, size_t *n,
					   struct error *err)
{
	const struct graph *g = in->graph;
	struct tree_function *functions;

	if (in->tree)
		return view_input_functions_of(in, in->tree, n, err);
	*n = g->n_functions;
	functions = malloc((*n + 1) * sizeof(*functions));
	if (functions)
		memcpy(functions, g->functions, *n * sizeof(*functions));
	else
		error_memory(err);
	return functions;
}

bool view_input_is_rows(const struct view_options *options)
{
	return options->format != VIEW_TEXT;
}

double view_input_threshold(const struct view_options *options, double text_default)
{
	if (options->threshold >= 0)
		return options->threshold;
	return view_input_is_rows(options) ? 0 : text_default;
}

const struct profile_counted *view_input_counted(const struct view_input *in)
{
	return in->calls_why || in->profile->n_base ? NULL : in->profile->counted;
}
