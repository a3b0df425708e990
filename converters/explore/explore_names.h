/* SPDX-License-Identifier: MIT */
/*
 * explore_names.h - the functions of a profile by name, and which of them a user means.
 *
 * In: struct tree, or the graph of calls without stacks. Out: names.
 */
#ifndef EXPLORE_NAMES_H
#define EXPLORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/function_names.h"
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

/* The functions that the text means (function_names.h); *f borrows from l and from `text`. -1: there
 * is none, or memory is out. */
int explore_names_find(const struct explore_names *l, const char *text, struct function_names *f,
		       struct error *err);

#endif
