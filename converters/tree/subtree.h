/* SPDX-License-Identifier: MIT */
/*
 * subtree.h - the sample tree below some functions (Hall & Goldberg, section 5.3: its root "has the
 * name of the root function").
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
 * The tree of what stands in the stacks from the outermost of the functions `roots` (n_roots names
 * in t->strings) inwards; stacks without any are in it no more, but still in its total. Linear in
 * the tree. It borrows what t does; tree_free it. NULL on error (memory).
 */
struct tree *subtree_build(const struct tree *t, const uint32_t *roots, size_t n_roots,
			   struct error *err);

#endif
