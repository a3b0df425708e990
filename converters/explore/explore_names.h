/* SPDX-License-Identifier: MIT */
/*
 * explore_names.h - lists the functions of a profile by name, and finds those that the user's text
 * means.
 *
 * In: struct tree, or struct graph if the profile has calls without stacks. Out: names.
 */
#ifndef EXPLORE_NAMES_H
#define EXPLORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "graph/function_names.h"
#include "graph/graph.h"
#include "tree/tree.h"

struct explore_names {
	const struct tree *tree;   /* borrowed; NULL: the functions are those of the graph */
	const struct graph *graph; /* borrowed */
	const struct strings *strings;
	uint32_t *names; /* of all functions, in bytewise order; numbers in strings */
	size_t n;
};

/* List all functions of the tree, or of the graph if the tree is NULL. Returns 0; -1 if memory is
 * out. */
int explore_names_fill(struct explore_names *l, const struct tree *t, const struct graph *g,
		       struct error *err);
void explore_names_free(struct explore_names *l);

/* The i-th name. */
const char *explore_names_get(const struct explore_names *l, size_t i);

/* Find the functions that the text means (function_names.h). *f borrows from l and from `text`.
 * Returns 0; -1 if there is no such function, or if memory is out. */
int explore_names_find(const struct explore_names *l, const char *text, struct function_names *f,
		       struct error *err);

#endif
