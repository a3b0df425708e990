/* SPDX-License-Identifier: MIT */
/*
 * comparison_functions.c - compares functions.
 *
 * In: the runs of two programs. Out: a row for each function, judged among all.
 */
#include <stdlib.h>

#include "compare/comparison.h"

/* All runs have the same functions in the same order. */
static int list_functions(const struct comparison *c, struct tree_function **of, size_t *n,
			  struct error *err)
{
	for (size_t i = 0; i < c->n_runs; i++) {
		of[i] = tree_functions(tree_column(c->tree, i), n, err);
		if (!of[i])
			return -1;
	}
	return 0;
}

static void compare_functions(const struct comparison *c, struct tree_function *const *of,
			      bool by_total, size_t function, struct comparison_use *uses,
			      struct comparison_function *to)
{
	to->name = of[0][function].name;
	to->is_inline = of[0][function].is_inline;
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct tree_function *f = &of[i][function];

		uses[i].weight = by_total ? f->total : f->self;
		uses[i].squares = by_total ? f->squares.total : f->squares.self;
	}
	to->row = comparison_row(c, uses);
}

static int judge(struct comparison_function *list, size_t n, struct error *err)
{
	struct comparison_row **rows = calloc(n + 1, sizeof(*rows));
	int status;

	if (!rows)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		rows[i] = &list[i].row;
	status = comparison_judge(rows, n, err);
	free(rows);
	return status;
}

struct comparison_function *comparison_functions(const struct comparison *c, bool by_total,
						 size_t *n, struct error *err)
{
	struct tree_function **of = calloc(c->n_runs, sizeof(*of));
	struct comparison_use *uses = calloc(c->n_runs, sizeof(*uses));
	struct comparison_function *list = NULL;
	int status = of && uses ? list_functions(c, of, n, err) : error_memory(err);

	if (!status) {
		list = calloc(*n + 1, sizeof(*list));
		status = list ? 0 : error_memory(err);
	}
	for (size_t i = 0; !status && i < *n; i++)
		compare_functions(c, of, by_total, i, uses, &list[i]);
	if (!status)
		status = judge(list, *n, err);
	for (size_t i = 0; of && i < c->n_runs; i++)
		free(of[i]);
	free(of);
	free(uses);
	if (!status)
		return list;
	free(list);
	return NULL;
}
