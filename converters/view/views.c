/* SPDX-License-Identifier: MIT */
/*
 * views.c - the table of views.
 *
 * In: a name. Out: the view of that name.
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
