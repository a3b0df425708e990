/* SPDX-License-Identifier: MIT */
/*
 * shorten.c - settles how the functions of a tree or graph are shown to people.
 *
 * In: names, an option. Out: what strings_shown returns.
 */
#include "pipeline/shorten.h"

#include <stdlib.h>

#include "symbols/short_names.h"

/* List the distinct names of the tree. */
static uint32_t *list_names(const struct tree *t, size_t *n)
{
	size_t n_strings = strings_count(t->strings), i;
	unsigned char *is_there = calloc(n_strings + 1, 1);
	uint32_t *list = malloc((n_strings + 1) * sizeof(*list));

	*n = 0;
	for (i = 1; is_there && i < t->n_nodes; i++)
		is_there[t->nodes[i].name] = 1;
	for (i = 0; is_there && list && i < n_strings; i++)
		if (is_there[i])
			list[(*n)++] = (uint32_t)i;
	if (!is_there) {
		free(list);
		list = NULL;
	}
	free(is_there);
	return list;
}

int shorten_tree(struct symbols *s, const struct tree *t, struct error *err)
{
	size_t n;
	uint32_t *list = list_names(t, &n);
	int status = list ? symbols_shorten(s, list, n, err) : error_memory(err);

	free(list);
	return status;
}

int shorten_graph(struct strings *strings, const struct graph *g, struct error *err)
{
	struct short_names none = {0};
	uint32_t *list = malloc((g->n_functions + 1) * sizeof(*list));
	int status = -1;

	if (list) {
		for (size_t i = 0; i < g->n_functions; i++)
			list[i] = g->functions[i].name;
		status = short_names_settle(&none, strings, list, g->n_functions, true);
	}
	free(list);
	short_names_clear(&none);
	return status ? error_memory(err) : 0;
}
