/* SPDX-License-Identifier: MIT */
/*
 * explore_names.c - lists the functions of a profile by name, and finds those that the user's text
 * means.
 */
#include "explore/explore.h"

#include <stdlib.h>

static int compare(const void *a, const void *b, void *strings)
{
	return strings_compare(strings, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int copy_names(struct explore_names *l, const struct tree_function *functions, size_t n,
		      struct error *err)
{
	l->names = calloc(n + 1, sizeof(*l->names));
	if (!l->names)
		return error_memory(err);
	for (l->n = 0; l->n < n; l->n++)
		l->names[l->n] = functions[l->n].name;
	qsort_r(l->names, n, sizeof(*l->names), compare, (void *)(uintptr_t)l->strings);
	return 0;
}

int explore_names_fill(struct explore_names *l, const struct tree *t, const struct graph *g,
		       struct error *err)
{
	struct tree_function *functions;
	size_t n;
	int status;

	*l = (struct explore_names){
		.tree = t,
		.graph = g,
		.strings = t ? t->strings : g->strings,
	};
	if (!t)
		return copy_names(l, g->functions, g->n_functions, err);
	functions = tree_functions(t, &n, err);
	if (!functions)
		return -1;
	status = copy_names(l, functions, n, err);
	free(functions);
	return status;
}

void explore_names_free(struct explore_names *l)
{
	free(l->names);
	*l = (struct explore_names){0};
}

const char *explore_names_get(const struct explore_names *l, size_t i)
{
	return strings_shown(l->strings, l->names[i], NULL);
}

int explore_names_find(const struct explore_names *l, const char *text, struct function_names *f,
		       struct error *err)
{
	return l->tree ? function_names_of_tree(f, l->tree, text, err)
		       : function_names_of_graph(f, l->graph, text, err);
}
