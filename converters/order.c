/* SPDX-License-Identifier: MIT */
/*
 * order.c - numbers the nodes of a tree in preorder.
 *
 * Shape room. In: each node's parent. Out: each node's place and the size of its subtree.
 */
#include "order.h"

#include <stdlib.h>

/* The children of all nodes: those of i are list[start[i]] .. list[start[i + 1] - 1]. */
struct children {
	uint32_t *start, *list;
};

static uint32_t parent_of(const struct order_tree *t, size_t i)
{
	return *(const uint32_t *)(const void *)((const char *)t->parents + i * t->stride);
}

/* A counting sort by parent. */
static int gather_children(const struct order_tree *t, struct children *c)
{
	size_t i;

	c->start = calloc(t->n + 2, sizeof(*c->start));
	c->list = malloc(t->n * sizeof(*c->list));
	if (!c->start || !c->list)
		return -1;
	/* Counted two places ahead, so that filling the lists moves each start to where it belongs. */
	for (i = 1; i < t->n; i++)
		c->start[parent_of(t, i) + 2]++;
	for (i = 2; i < t->n + 2; i++)
		c->start[i] += c->start[i - 1];
	for (i = 1; i < t->n; i++)
		c->list[c->start[parent_of(t, i) + 1]++] = (uint32_t)i;
	return 0;
}

static void sort_siblings(const struct order_tree *t, const struct children *c)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		size_t n = c->start[i + 1] - c->start[i];

		if (n > 1)
			qsort_r(c->list + c->start[i], n, sizeof(*c->list), t->compare, t->context);
	}
}

/* Parents have lower numbers than their children, so two loops do. */
static void number(const struct order_tree *t, const struct children *c, struct order *o)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		o->size[i] = 1;
	for (i = t->n; i-- > 1;)
		o->size[parent_of(t, i)] += o->size[i];
	o->place[0] = 0;
	for (i = 0; i < t->n; i++) {
		uint32_t place = o->place[i] + 1, k;

		for (k = c->start[i]; k < c->start[i + 1]; k++) {
			o->place[c->list[k]] = place;
			place += o->size[c->list[k]];
		}
	}
}

int order_preorder(const struct order_tree *tree, struct order *order, struct error *err)
{
	struct children c = {0};
	int status;

	order->place = malloc(tree->n * sizeof(*order->place));
	order->size = malloc(tree->n * sizeof(*order->size));
	status = order->place && order->size ? gather_children(tree, &c) : -1;
	if (!status) {
		sort_siblings(tree, &c);
		number(tree, &c, order);
	}
	free(c.start);
	free(c.list);
	if (status) {
		order_free(order);
		error_memory(err);
	}
	return status;
}

void order_free(struct order *order)
{
	free(order->place);
	free(order->size);
	*order = (struct order){0};
}
