/* SPDX-License-Identifier: MIT */
/*
 * explore_names.h - the functions of a profile by name: what a user may have meant.
 *
 * In: struct tree, or the graph of calls without stacks. Out: one name for what was
 * typed.
 */
#ifndef EXPLORE_NAMES_H
#define EXPLORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/graph.h"
#include "tree/tree.h"

struct explore_names {
	const struct tree *tree;   /* borrowed; NULL: */
	const struct graph *graph; /* likewise */
	const struct strings *strings;
	uint32_t *names; /* of all functions, bytewise, in strings */
	size_t n;
};

/* All functions of the tree, or if that is NULL, of the graph. -1: memory. */
int explore_names_fill(struct explore_names *l, const struct tree *t, const struct graph *g,
		       struct error *err);
void explore_names_free(struct explore_names *l);

/* The i-th name. */
const char *explore_names_get(const struct explore_names *l, size_t i);

/*
 * The function that is called so (or the places in it: function_roots.h), or else the only one
 * whose name contains the text. Its name, valid as long as l and `text`; NULL: there is none, or
 * there are several; the error says which ones may have been meant.
 */
const char *explore_names_find(const struct explore_names *l, const char *text, struct error *err);

#endif
