/* SPDX-License-Identifier: MIT */
/*
 * views.c - the table of views.
 *
 * In: a name. Out: the view of that name.
 */
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

#define ROW(name, place) &view_##name,

const struct view *const views[] = {VIEWS(ROW) NULL};

const struct view *view_find(const char *name)
{
	size_t i;

	for (i = 0; views[i]; i++)
		if (strcmp(views[i]->name, name) == 0)
			return views[i];
	return NULL;
}

bool view_takes_function(const struct view *view)
{
	return view->commands[0].argument == VIEW_ARGUMENT_FUNCTION && view->commands[0].is_needed;
}

static bool has_name(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

bool view_names_option(const struct view *view, const char *option)
{
	return has_name(view->options, option);
}

bool view_ignores_option(const struct view *view, const char *option)
{
	return has_name(view->ignores, option);
}
