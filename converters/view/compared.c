/* SPDX-License-Identifier: MIT */
/*
 * compared.c - shows functions of two programs beside each other.
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 */
#include "view/compared.h"

#include <stdlib.h>

#include "write/name_text.h"

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct comparison_function *x = a, *y = b;
	int order = compared_table_compare(&x->row, &y->row);

	return order ? order : strings_compare(context, x->name, y->name);
}

static void write_functions(struct compared_table *t, const struct comparison_function *list,
			    size_t n)
{
	static const char *const columns[] = {COMPARED_KEYS, "name", NULL};
	const struct strings *strings = t->in->profile->strings;

	for (size_t i = 0; i < n; i++) {
		const struct comparison_function *f = &list[i];

		if (compared_table_hides(t, &f->row))
			continue;
		compared_table_row(t, &f->row, columns);
		if (view_input_is_rows(t->in->options))
			rows_name(&t->rows, strings, f->name);
		else
			name_text_last(t->out, strings, f->name, f->is_inline, COMPARED_COLUMN);
		compared_table_row_end(t, &f->row);
	}
}

int compared_functions(const struct view_input *in, struct out *o, const char *title,
		       const char *view, bool by_total, struct error *err)
{
	struct comparison_function *list;
	struct compared_table t;
	size_t n;
	int status = compared_table_begin(&t, in, o, "function", err);

	list = status ? NULL : comparison_functions(&t.comparison, by_total, &n, err);
	if (list) {
		/* The comparison only reads; qsort_r has no const context. */
		qsort_r(list, n, sizeof(*list), compare_functions,
			(void *)(uintptr_t)in->profile->strings);
		compared_table_head(&t, title, view,
				    by_total ? "function (total)" : "function (self)");
		write_functions(&t, list, n);
		compared_table_end(&t);
	}
	free(list);
	compared_table_free(&t);
	return list ? 0 : -1;
}

int compared_counts(const struct view_input *in, uint64_t **before, uint64_t **after,
		    struct error *err)
{
	struct comparison c;
	int status = comparison_begin(&c, in->profile, in->tree, in->options->normalize, err);

	if (!status)
		status = comparison_counts(&c, before, after, err);
	comparison_free(&c);
	return status;
}
