/* SPDX-License-Identifier: MIT */
/*
 * upward_order.h - the nodes of the sample tree in the order of their callers.
 *
 * In: struct tree. Out: an array in which nodes with the same callers stand side by side.
 *
 * The text of a node is its name, its parent's, its grandparent's and so on, up to the outermost
 * function or to the first name that comes a second time, which is not in the text. Nodes are
 * sorted by their texts, as a suffix array sorts the ends of a string (Manber and Myers 1993); a
 * tree whose nodes are read towards the root has one such text for each node (Kosaraju 1989). Each
 * round of sorting doubles the number of names that count. So time and memory are those of the tree
 * times the binary logarithm of the longest text.
 */
#ifndef UPWARD_ORDER_H
#define UPWARD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

struct upward_order {
	uint32_t n;	  /* nodes, without the root */
	uint32_t *order;  /* nodes, sorted */
	uint32_t *place;  /* by node: where it is in `order` */
	uint32_t *reach;  /* by node: the number of names in its text */
	uint32_t *common; /* by place: with how many equal names the texts of this node and of the
			   * one before begin; 0 for the first place, and one past the last */
	/* By place: the stacks of this node and of the one before have different names behind the
	 * common ones, or one of the stacks ends there; else both texts end because of the same
	 * name. */
	bool *differs;
};

/* Sort; texts have at most `longest` names if that is not 0. -1: memory. upward_order_free in any
 * case. */
int upward_order_begin(struct upward_order *u, const struct tree *t, uint64_t longest,
		       struct error *err);
void upward_order_free(struct upward_order *u);

#endif
