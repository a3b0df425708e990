/* SPDX-License-Identifier: MIT */
/*
 * source_lines.c - weighs the source lines of functions.
 *
 * In: the places of functions. Out: struct source_lines.
 */
#include "annotate/source_lines.h"

#include <stdlib.h>

static int compare(const void *a, const void *b, void *strings)
{
	const struct source_line *x = a, *y = b;

	if (x->file != y->file) {
		if (x->file == STRINGS_NONE || y->file == STRINGS_NONE)
			return x->file == STRINGS_NONE ? 1 : -1;
		return strings_compare(strings, x->file, y->file);
	}
	return (x->line > y->line) - (x->line < y->line);
}

static void add(struct source_lines *l, const struct symbols_place *at,
		const struct tree_function *f)
{
	l->list[l->n++] = (struct source_line){
		.file = at->line ? at->file : STRINGS_NONE,
		.line = at->file == STRINGS_NONE ? 0 : at->line,
		.self = f->self,
		.total = f->total,
		.hits = f->hits,
	};
}

int source_lines_find(struct source_lines *l, const struct code_places *p, const struct tree *tree,
		      struct error *err)
{
	size_t i, n;
	struct tree_function *functions = tree_functions(tree, &n, err);

	*l = (struct source_lines){0};
	if (!functions)
		return -1;
	l->list = calloc(n + 1, sizeof(*l->list));
	for (i = 0; l->list && i < n; i++)
		if (p->by_name[functions[i].name].is_ours)
			add(l, &p->by_name[functions[i].name].is, &functions[i]);
	free(functions);
	if (!l->list)
		return error_memory(err);
	qsort_r(l->list, l->n, sizeof(*l->list), compare, (void *)(uintptr_t)tree->strings);
	return 0;
}

void source_lines_free(struct source_lines *l)
{
	free(l->list);
	*l = (struct source_lines){0};
}
