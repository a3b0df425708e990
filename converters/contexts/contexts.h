/* SPDX-License-Identifier: MIT */
/*
 * contexts.h - contexts (Spivey 2004): what a call stack comes down to however deep its recursion.
 *
 * In: struct tree. Out: struct contexts.
 *
 * A context is a history: functions with marks, outermost first, made from a stack call by call
 * (the paper's steps A1 to A5). The last entry of each active function is marked, it stands for
 * the function's most recent activation; the entries before and after it tell who called that and
 * what it called. Unmarked entries are there for nothing else.
 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tree/tree.h"

struct context {
	uint64_t samples; /* in the tree's unit: of the stacks that come down to it */
	uint64_t hits;	  /* the same in raw samples */
	uint32_t node;	  /* of the tree, the first that comes down to it */
	uint32_t length;  /* entries of its history, at least 1 */
};

/*
 * A cycle of calls that was really run: the running function stands earlier in the history, too.
 * Its path goes from the last such entry to the end. Contexts whose paths have the same names are
 * contexts of one cycle.
 */
struct context_cycle {
	uint64_t samples;  /* of its contexts */
	uint64_t total;	   /* of all stacks that have come through one of its contexts */
	uint32_t contexts; /* how many */
	uint32_t node;	   /* of one of them: its path are the last `length` entries there */
	uint32_t length;   /* at least 3: a direct call of itself leads to no new context */
	uint32_t end;	   /* of the part of the tree that total has last counted */
};

struct contexts {
	const struct tree *tree;
	/* All that occur on the way, also without samples. By samples descending, shorter histories
	 * first, then as they come in the tree. */
	struct context *contexts;
	size_t n;
	size_t n_with_samples;
	struct context_cycle *cycles; /* in the same order; none if not asked for */
	size_t n_cycles;
};

/* Time is linear in the tree, however deep, and with cycles also in the paths of all contexts that
 * end with one; memory in the tree's depth and the number of contexts. No sum overflows, as each
 * node's self is part of one context only. NULL on error (memory). */
struct contexts *contexts_build(const struct tree *t, bool with_cycles, struct error *err);
void contexts_free(struct contexts *c);

#endif
