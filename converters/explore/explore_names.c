/* SPDX-License-Identifier: MIT */
/*
 * explore_names.c - finds the function that a user means.
 *
 * In: struct tree, or the graph of calls without stacks. Out: one name for what was
 * typed.
 */
#include "explore/explore_names.h"

#include <stdlib.h>
#include <string.h>

#include "graph/suggest.h"
#include "tree/function_roots.h"

#define SHOWN 5u

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
	return strings_get(l->strings, l->names[i], NULL);
}

/* Several names contain the text: the first ones, bytewise. */
static void list_several(const struct explore_names *l, const char *text, size_t n,
			 struct error *err)
{
	size_t i, shown = 0;

	error_set(err, "\"%s\" is in the names of %zu functions: ", text, n);
	for (i = 0; i < l->n && shown < SHOWN; i++)
		if (strstr(explore_names_get(l, i), text))
			error_append(err, "%s%.100s", shown++ ? ", " : "", explore_names_get(l, i));
	if (n > shown)
		error_append(err, ", ...");
}

static const char *find_part(const struct explore_names *l, const char *text, struct error *err)
{
	const char *found = NULL;
	size_t i, n = 0;

	for (i = 0; *text && i < l->n; i++) {
		if (!strstr(explore_names_get(l, i), text))
			continue;
		found = explore_names_get(l, i);
		n++;
	}
	if (n == 1)
		return found;
	if (n > 1)
		list_several(l, text, n, err);
	else if (l->tree)
		suggest_functions(l->tree, text, err);
	else
		suggest_of_graph(l->graph, text, err);
	return NULL;
}

static bool is_name(const struct explore_names *l, const char *text)
{
	uint32_t number = strings_find(l->strings, text, strlen(text));
	size_t i = 0;

	while (i < l->n && l->names[i] != number)
		i++;
	return i < l->n;
}

const char *explore_names_find(const struct explore_names *l, const char *text, struct error *err)
{
	uint32_t *roots;
	size_t n;

	if (!l->tree)
		return is_name(l, text) ? text : find_part(l, text, err);
	roots = function_roots_find(l->tree, text, &n, err);
	if (!roots)
		return NULL;
	free(roots);
	return n ? text : find_part(l, text, err);
}
