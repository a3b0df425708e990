/* SPDX-License-Identifier: MIT */
/*
 * tree_fold.h - the shape of the sample tree: its nodes, and the node that each sample belongs to.
 */
#ifndef TREE_FOLD_H
#define TREE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/profile.h"
#include "symbols/symbols.h"
#include "tree/filter.h"

#define FOLD_DROPPED UINT32_MAX

/* Nodes are numbered in order of creation, so that a parent's number is less than its children's.
 * Node 0 is the root, which has no name. */
struct tree_fold {
	size_t n;
	uint32_t *parents, *names; /* names in the profile's string table */
	bool *inlined;		   /* by node, see tree_is_inline; NULL if no node is inlined */
	uint32_t *nodes; /* by node of the profile: the node of its own samples, or FOLD_DROPPED */
	uint32_t *modules; /* by name, see struct tree */
	size_t n_modules;
};

/* Fill *f; call tree_fold_clear in any case. s may be NULL if all frames have names. The filter may
 * be NULL. Returns -1 if memory is out or an expression of the filter is wrong. */
int tree_fold_build(struct tree_fold *f, const struct profile *p, struct symbols *s,
		    struct filter *filter, struct error *err);
void tree_fold_clear(struct tree_fold *f);

#endif
