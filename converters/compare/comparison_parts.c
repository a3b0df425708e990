/* SPDX-License-Identifier: MIT */
/*
 * comparison_parts.c - compares whatever can be made of a tree: its calls, its call paths.
 *
 * In: the runs of two programs, a function that measures parts of a tree. Out: a row for each part.
 *
 * The measure of a tree whose weights are squares is the sum of squares of each part. So what adds weights up need not
 * know of squares.
 */
#include <stdlib.h>
#include <string.h>

#include "compare/comparison.h"

#define LARGEST 0x1p62 /* to which squares are scaled down, since weights have 64 bits */

static uint64_t scaled(double squares, double unit)
{
	return (uint64_t)(squares / unit);
}

/* A copy of a tree, with squares in the place of weights; the nodes are to be freed. -1: memory. */
static int square(struct tree *to, const struct tree *t, double *unit)
{
	*to = *t;
	*unit = t->total_squares > LARGEST ? t->total_squares / LARGEST : 1;
	to->others = NULL;
	to->n_others = 0;
	to->nodes = malloc(t->n_nodes * sizeof(*to->nodes));
	if (!to->nodes)
		return -1;
	memcpy(to->nodes, t->nodes, t->n_nodes * sizeof(*to->nodes));
	for (size_t i = 0; i < t->n_nodes; i++) {
		to->nodes[i].self = t->squares ? scaled(t->squares[i].self, *unit) : 0;
		to->nodes[i].total = t->squares ? scaled(t->squares[i].total, *unit) : 0;
	}
	to->total = scaled(t->total_squares, *unit);
	return 0;
}

struct measuring {
	const struct comparison *c;
	const struct comparison_measure *measure;
	uint64_t *weights;	     /* of the n parts in one tree */
	struct comparison_use *uses; /* by part and run */
	size_t n;
};

static int measure_run(struct measuring *m, size_t run, struct error *err)
{
	const struct tree *t = tree_column(m->c->tree, run);
	struct tree squares;
	double unit;
	int status = m->measure->weigh(m->measure->context, t, m->weights, err);

	for (size_t i = 0; !status && i < m->n; i++)
		m->uses[i * m->c->n_runs + run].weight = m->weights[i];
	if (status)
		return -1;
	if (square(&squares, t, &unit))
		return error_memory(err);
	status = m->measure->weigh(m->measure->context, &squares, m->weights, err);
	for (size_t i = 0; !status && i < m->n; i++)
		m->uses[i * m->c->n_runs + run].squares = (double)m->weights[i] * unit;
	free(squares.nodes);
	return status;
}

static int judge(struct comparison_row *list, size_t n, struct error *err)
{
	struct comparison_row **rows = calloc(n + 1, sizeof(*rows));
	int status = rows ? 0 : error_memory(err);

	for (size_t i = 0; !status && i < n; i++)
		rows[i] = &list[i];
	if (!status)
		status = comparison_judge(rows, n, err);
	free(rows);
	return status;
}

struct comparison_row *comparison_parts(const struct comparison *c,
					const struct comparison_measure *measure, size_t n,
					struct error *err)
{
	struct measuring m = {
		.c = c,
		.measure = measure,
		.weights = calloc(n + 1, sizeof(*m.weights)),
		.uses = calloc(n + 1, c->n_runs * sizeof(*m.uses)),
		.n = n,
	};
	struct comparison_row *list = calloc(n + 1, sizeof(*list));
	int status = m.weights && m.uses && list ? 0 : error_memory(err);

	for (size_t k = 0; !status && k < c->n_runs; k++)
		status = measure_run(&m, k, err);
	for (size_t i = 0; !status && i < n; i++)
		list[i] = comparison_row(c, m.uses + i * c->n_runs);
	if (!status)
		status = judge(list, n, err);
	free(m.weights);
	free(m.uses);
	if (!status)
		return list;
	free(list);
	return NULL;
}
