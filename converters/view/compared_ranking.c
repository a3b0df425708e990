/* SPDX-License-Identifier: MIT */
/*
 * compared_ranking.c - sorts parts of two programs by what has changed.
 *
 * In: a comparison and a measure of its parts. Out: struct compared_ranking.
 */
#include <stdlib.h>

#include "view/compared.h"

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct comparison_row *rows = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compared_table_compare(&rows[x], &rows[y]);

	return order ? order : (x > y) - (x < y);
}

int compared_ranking_make(struct compared_ranking *r, const struct comparison *c,
			  const struct comparison_measure *measure, size_t n, struct error *err)
{
	*r = (struct compared_ranking){.n = n, .rows = comparison_parts(c, measure, n, err)};
	if (!r->rows)
		return -1;
	r->order = calloc(n + 1, sizeof(*r->order));
	if (!r->order)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		r->order[i] = (uint32_t)i;
	qsort_r(r->order, n, sizeof(*r->order), compare_rows, r->rows);
	return 0;
}

void compared_ranking_free(struct compared_ranking *r)
{
	free(r->rows);
	free(r->order);
	*r = (struct compared_ranking){0};
}
