/* SPDX-License-Identifier: MIT */
/*
 * preorder.c - numbers the nodes of a tree in preorder.
 *
 * In: each node's parent. Out: each node's place.
 */
#include "base/preorder.h"

#include <stdlib.h>

/* The children of node i are list[start[i]] .. list[start[i + 1] - 1]. */
struct children {
	uint32_t *start, *list;
};

/* List the children of all nodes, with a counting sort by parent. */
static int gather_children(const struct preorder_tree *t, struct children *c)
{
	size_t i;

	c->start = calloc(t->n + 2, sizeof(*c->start));
	c->list = malloc(t->n * sizeof(*c->list));
	if (!c->start || !c->list)
		return -1;
	/* The children are counted two places ahead, because filling the lists moves each start by
	 * one place. */
	for (i = 1; i < t->n; i++)
		c->start[t->parents[i] + 2]++;
	for (i = 2; i < t->n + 2; i++)
		c->start[i] += c->start[i - 1];
	for (i = 1; i < t->n; i++)
		c->list[c->start[t->parents[i] + 1]++] = (uint32_t)i;
	return 0;
}

static void sort_siblings(const struct preorder_tree *t, const struct children *c)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		size_t n = c->start[i + 1] - c->start[i];

		if (n > 1)
			qsort_r(c->list + c->start[i], n, sizeof(*c->list), t->compare, t->context);
	}
}

/* Because parents have lower numbers than their children, a loop down over the numbers finds the
 * sizes of the subtrees, and a loop up finds the places. */
static void number(const struct preorder_tree *t, const struct children *c, uint32_t *size,
		   uint32_t *place)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		size[i] = 1;
	for (i = t->n; i-- > 1;)
		size[t->parents[i]] += size[i];
	place[0] = 0;
	for (i = 0; i < t->n; i++) {
		uint32_t next = place[i] + 1, k;

		for (k = c->start[i]; k < c->start[i + 1]; k++) {
			place[c->list[k]] = next;
			next += size[c->list[k]];
		}
	}
}

uint32_t *preorder_places(const struct preorder_tree *tree, struct error *err)
{
	uint32_t *place = malloc(tree->n * sizeof(*place)), *size = NULL;
	struct children c = {0};

	if (place && !gather_children(tree, &c)) {
		sort_siblings(tree, &c);
		size = malloc(tree->n * sizeof(*size));
	}
	if (size) {
		number(tree, &c, size, place);
	} else {
		free(place);
		place = NULL;
		error_memory(err);
	}
	free(c.start);
	free(c.list);
	free(size);
	return place;
}
