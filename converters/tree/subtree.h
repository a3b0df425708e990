/* SPDX-License-Identifier: MIT */
/*
 * subtree.h - the sample tree below some root functions (Hall & Goldberg, section 5.3: its root
 * "has the name of the root function").
 *
 * In: struct tree and root functions. Out: struct tree.
 */
#ifndef SUBTREE_H
#define SUBTREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

/*
 * Build the tree of all stacks cut off above their outermost root function. `roots` are n_roots
 * names in t->strings. A stack without a root function is not in the tree, but it still counts in
 * the tree's total. If t has columns, so has the new tree. Time is linear in t. The new tree borrows what t borrows; tree_free it. NULL if
 * memory is out.
 */
struct tree *subtree_build(const struct tree *t, const uint32_t *roots, size_t n_roots,
			   struct error *err);

#endif
