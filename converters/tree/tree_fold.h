/* SPDX-License-Identifier: MIT */
/*
 * tree_fold.h - the shape of the sample tree: which nodes there are, and which samples are whose.
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

/* Nodes are numbered in order of creation: a parent's number is less than its children's; 0 is the
 * root, without name. */
struct tree_fold {
	size_t n;
	uint32_t *parents, *names; /* names in the profile's string table */
	bool *inlined;		   /* by node, see tree_is_inline; NULL if none is */
	uint32_t *nodes; /* by node of the profile: whose its own samples are, or FOLD_DROPPED */
};

/* Fill *f; tree_fold_clear it. symbols may be NULL if all frames have names; filter NULL: none.
 * -1: memory, or an expression of the filter that makes no sense. */
int tree_fold_build(struct tree_fold *f, const struct profile *p, struct symbols *s,
		    struct filter *filter, struct error *err);
void tree_fold_clear(struct tree_fold *f);

#endif
