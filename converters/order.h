/* SPDX-License-Identifier: MIT */
/*
 * order.h - numbers the nodes of a tree in preorder, siblings in a given order.
 *
 * Shape room. In: each node's parent. Out: each node's place and the size of its subtree.
 */
#ifndef ORDER_H
#define ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct order_tree {
	size_t n; /* at least 1, less than 2^32 - 1 */
	/* The parent of node 0, the root, is not looked at; each other's has a lower number.
	 * They are `stride` bytes apart. */
	const uint32_t *parents;
	size_t stride;
	/* Compares two siblings, as qsort_r does; both pointers are to node numbers (uint32_t). */
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
};

struct order {
	uint32_t *place; /* n: where the node stands in preorder; the root's is 0 */
	uint32_t *size;	 /* n: nodes of its subtree, itself included */
};

/* Fill *order; order_free it. Needs no C recursion. Returns 0 or -1 (memory). */
int order_preorder(const struct order_tree *tree, struct order *order, struct error *err);
void order_free(struct order *order);

#endif
