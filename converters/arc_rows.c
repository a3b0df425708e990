/* SPDX-License-Identifier: MIT */
/*
 * arc_rows.c - writes functions and arcs with their times as rows for programs.
 *
 * Show room. In: struct tree. Out: rows.
 */
#include "arc_rows.h"

#include <stdlib.h>

#include "amount.h"
#include "arc_times.h"

int arc_rows_compare(const void *a, const void *b, void *strings)
{
	const struct tree_function *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(strings, x->name, y->name);
}

static void write_function(struct rows *r, const struct tree *t, const struct tree_function *f)
{
	static const char *const columns[] = {"row", "name", "self", "child", "total", NULL};

	rows_row(r, columns);
	rows_word(r, "func");
	rows_name(r, t->strings, f->name);
	rows_count(r, f->self);
	rows_count(r, f->total - f->self);
	rows_count(r, f->total);
}

static void write_arc(struct rows *r, const struct tree *t, const struct arc_time *a)
{
	static const char *const columns[] = {"row",	"caller", "callee", "self1",
					      "child1", "self2",  "child2", NULL};

	rows_row(r, columns);
	rows_word(r, "arc");
	rows_name(r, t->strings, a->caller);
	rows_name(r, t->strings, a->callee);
	rows_count(r, a->self1);
	rows_count(r, a->child1);
	rows_count(r, a->self2);
	rows_count(r, a->child2);
}

static int write_functions(struct rows *r, const struct view_input *in, struct error *err)
{
	const struct tree *t = in->tree;
	double threshold = view_threshold(in->options, 0);
	struct tree_function *functions;
	size_t i, n;

	functions = tree_functions(t, &n, err);
	if (!functions)
		return -1;
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(functions, n, sizeof(*functions), arc_rows_compare, (void *)(uintptr_t)t->strings);
	for (i = 0; i < n && !amount_below(functions[i].total, t->total, threshold); i++)
		write_function(r, t, &functions[i]);
	free(functions);
	return 0;
}

int arc_rows_write(struct rows *r, const struct view_input *in, struct error *err)
{
	double threshold = view_threshold(in->options, 0);
	uint64_t total = in->tree->total;
	struct arc_times *times;
	size_t i;

	if (write_functions(r, in, err))
		return -1;
	times = arc_times_build(in->tree, err);
	if (!times)
		return -1;
	for (i = 0; i < times->n; i++) {
		const struct arc_time *a = &times->arcs[i];

		if (!amount_below(a->self1 + a->child1, total, threshold) ||
		    !amount_below(a->self2 + a->child2, total, threshold))
			write_arc(r, in->tree, a);
	}
	arc_times_free(times);
	return 0;
}
