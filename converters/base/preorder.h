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
	size_t n; /* at least 1, at most 2^32 - 2 */
	/* The parent of each node has a lower number than the node. Node 0 is the root, so
	 * parents[0] is not read. */
	const uint32_t *parents;
	/* Compares two siblings, as qsort_r does; both pointers are to node numbers (uint32_t). */
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
};

/* Returns the place of each of the n nodes in preorder; the place of the root is 0. The caller
 * frees the array. The C stack does not grow with the depth of the tree. NULL if memory is out. */
uint32_t *preorder_places(const struct preorder_tree *tree, struct error *err);

#endif
