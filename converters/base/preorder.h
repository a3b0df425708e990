/* SPDX-License-Identifier: MIT */
/*
 * preorder.h - numbers the nodes of a tree in preorder, siblings in a given order.
 *
 * In: each node's parent. Out: each node's place.
 */
#ifndef PREORDER_H
#define PREORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct preorder_tree {
	size_t n; /* at least 1, less than 2^32 - 1 */
	/* The parent of node 0, the root, is not looked at; each other's has a lower number. */
	const uint32_t *parents;
	/* Compares two siblings, as qsort_r does; both pointers are to node numbers (uint32_t). */
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
};

/* Where each of the n nodes stands in preorder; the root's place is 0. free() it. Needs no C
 * recursion. NULL: out of memory. */
uint32_t *preorder_places(const struct preorder_tree *tree, struct error *err);

#endif
