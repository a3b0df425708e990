/* SPDX-License-Identifier: MIT */
/*
 * views.c - the table of views.
 *
 * Show room. In: a name. Out: the view of that name.
 */
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

const struct view *const views[] = {
	&view_flat,	 &view_tree,	     &view_bottomup, &view_callpath,
	&view_functions, &view_bodies,	     &view_contexts, &view_callgraph,
	&view_cycles,	 &view_average_time, &view_edges,    &view_folded,
	&view_graph,	 &view_dot,	     &view_info,     NULL,
};

const struct view *view_find(const char *name)
{
	size_t i;

	for (i = 0; views[i]; i++)
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	return NULL;
}

uint64_t view_total(const struct view_input *in)
{
	return in->tree ? in->tree->total : in->graph->total;
}

struct tree_function *view_all_functions(const struct view_input *in, size_t *n, struct error *err)
{
	const struct graph *g = in->graph;
	struct tree_function *functions;

	if (in->tree)
		return tree_functions(in->tree, n, err);
	*n = g->n_functions;
	functions = malloc((*n + 1) * sizeof(*functions));
	if (functions)
		memcpy(functions, g->functions, *n * sizeof(*functions));
	else
		error_memory(err);
	return functions;
}

bool view_is_rows(const struct view_options *options)
{
	return options->format != VIEW_TEXT;
}

double view_threshold(const struct view_options *options, double text_default)
{
	if (options->threshold >= 0)
		return options->threshold;
	return view_is_rows(options) ? 0 : text_default;
}
