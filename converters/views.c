/* SPDX-License-Identifier: MIT */
/*
 * views.c - the table of views.
 *
 * Show room. In: a name. Out: the view of that name.
 */
#include <string.h>

#include "view.h"

const struct view *const views[] = {
	&view_flat,   &view_tree,     &view_bottomup, &view_callpath, &view_functions,
	&view_bodies, &view_contexts, &view_edges,    &view_folded,   &view_graph,
	&view_dot,    &view_info,     NULL,
};

const struct view *view_find(const char *name)
{
	size_t i;

	for (i = 0; views[i]; i++)
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	return NULL;
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
