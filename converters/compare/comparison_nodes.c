/* SPDX-License-Identifier: MIT */
/*
 * comparison_nodes.c - compares the nodes of a tree.
 *
 * In: the runs of two programs. Out: counts and rows by node.
 */
#include <stdlib.h>

#include "base/stop.h"
#include "compare/comparison.h"

/* The runs from..to-1 of a node. */
static uint64_t count(const struct comparison *c, size_t node, size_t from, size_t to, bool sums)
{
	uint64_t sum = 0;
	double scaled = 0;

	for (size_t i = from; i < to; i++) {
		uint64_t self = tree_column(c->tree, i)->nodes[node].self;

		sum += self; /* the sum of all runs fits, which reading has checked */
		scaled += (double)self * c->scales[i];
	}
	if (sums)
		return sum;
	scaled /= (double)(to - from);
	return scaled < 0x1p64 ? (uint64_t)(scaled + 0.5) : UINT64_MAX;
}

int comparison_counts(const struct comparison *c, uint64_t **before, uint64_t **after,
		      struct error *err)
{
	size_t n = c->tree->n_nodes;
	bool sums = !c->normalizes && 2 * c->n_base == c->n_runs;

	*before = calloc(n, sizeof(**before));
	*after = calloc(n, sizeof(**after));
	if (!*before || !*after) {
		free(*before);
		free(*after);
		return error_memory(err);
	}
	for (size_t i = 0; i < n; i++) {
		(*before)[i] = count(c, i, 0, c->n_base, sums);
		(*after)[i] = count(c, i, c->n_base, c->n_runs, sums);
	}
	return 0;
}

struct comparison_row *comparison_nodes(const struct comparison *c, struct error *err)
{
	size_t n = c->tree->n_nodes;
	struct comparison_row *list = calloc(n, sizeof(*list)), **rows = calloc(n, sizeof(*rows));
	struct comparison_use *uses = calloc(c->n_runs, sizeof(*uses));
	int status = list && rows && uses ? 0 : error_memory(err);

	for (size_t i = 1; !status && i < n; i++) {
		if (stop_check(err))
			status = -1;
		for (size_t k = 0; k < c->n_runs; k++) {
			const struct tree *t = tree_column(c->tree, k);

			uses[k].weight = t->nodes[i].total;
			uses[k].squares = t->squares ? t->squares[i].total : 0;
		}
		list[i] = comparison_row(c, uses);
		rows[i - 1] = &list[i];
	}
	if (!status)
		status = comparison_judge(rows, n - 1, err);
	free(rows);
	free(uses);
	if (!status)
		return list;
	free(list);
	return NULL;
}
