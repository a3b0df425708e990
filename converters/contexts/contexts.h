/* SPDX-License-Identifier: MIT */
/*
 * contexts.h - contexts (Spivey 2004): call stacks in a form that does not grow with recursion.
 *
 * In: struct tree. Out: struct contexts.
 *
 * A context is a history: a list of functions with marks, outermost first, which the paper's steps
 * A1 to A5 make from a stack call by call. The last entry of each active function is marked; it
 * stands for the most recent activation of the function. The entry before it is the caller of that
 * activation, and the entry after it is the callee. Unmarked entries have no other purpose.
 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "tree/tree.h"

struct context {
	uint64_t samples; /* in the tree's unit, of the stacks that have this context */
	uint64_t hits;	  /* the same, in raw samples */
	uint32_t node;	  /* the first node of the tree whose stack has this context */
	uint32_t length;  /* number of entries of its history, at least 1 */
};

/*
 * A cycle of calls that was really run: the running function also has an earlier entry in the
 * history. The path of the cycle goes from the last such entry to the end. Contexts whose paths
 * have the same names belong to the same cycle.
 */
struct context_cycle {
	uint64_t samples;  /* the sum over its contexts */
	uint64_t total;	   /* of all stacks that contain a stack of one of its contexts */
	uint32_t contexts; /* number of its contexts */
	uint32_t node;	 /* of one context; the path is the last `length` entries of its history */
	uint32_t length; /* at least 3, because a direct call of itself makes no new context */
	uint32_t end;	 /* the end of the last subtree that is counted in total */
};

struct contexts {
	const struct tree *tree;
	/* The contexts of all nodes, also those without samples, by samples descending, then by
	 * length ascending, then by node. */
	struct context *contexts;
	size_t n;
	size_t n_with_samples;
	struct context_cycle *cycles; /* in the same order; empty unless with_cycles */
	size_t n_cycles;
};

/* Find all contexts. Time is linear in the tree, however deep it is, and with cycles, also in the
 * length of the paths of all contexts that close a cycle. Memory is linear in the tree's depth and
 * the number of contexts. No sum overflows, because each node's self is part of only one context.
 * NULL if memory is out. */
struct contexts *contexts_build(const struct tree *t, bool with_cycles, struct error *err);
void contexts_free(struct contexts *c);

/* ---- counted contexts ------------------------------------------------------------------------ */
/*
 * Which of the contexts of samples are those of counted calls.
 *
 * In: two trees. Out: pairs of contexts.
 *
 * Only functions that were compiled to tell are in the stacks of counted calls. So of the stacks of samples the functions that
 * are counted are taken, and the context of these is looked up. Several contexts of samples may have the same one, as if one
 * function calls another directly and through the C library; then it cannot be told which has how many of the calls.
 */

#define COUNTED_CONTEXTS_NONE SIZE_MAX

struct counted_contexts {
	struct contexts
		*counted; /* of calls: samples are how many led to it, hits the direct recursions */
	size_t *of;	  /* by context of samples: the counted one, or NONE */
	bool *is_there;	  /* by counted context: one of samples has it */
};

/* `sampled` are those of the tree of samples. -1: memory. Call counted_contexts_free in any case. */
int counted_contexts_build(struct counted_contexts *c, const struct contexts *sampled,
			   const struct tree *calls, struct error *err);
void counted_contexts_free(struct counted_contexts *c);

/* ---- counted cycles -------------------------------------------------------------------------- */
/*
 * Which of the cycles of samples are those of counted calls.
 *
 * In: two trees. Out: pairs of cycles.
 *
 * The counted functions of the path of a cycle of samples are the path of a counted one, if there is just one cycle of samples that
 * has these. `samples` of a counted cycle are the calls that closed it.
 */

struct counted_cycles {
	struct contexts *counted;
	size_t *of;	/* by cycle of samples: the counted one, or COUNTED_CONTEXTS_NONE */
	bool *is_there; /* by counted cycle: one of samples has it */
};

/* `sampled` has cycles. -1: memory. Call counted_cycles_free in any case. */
int counted_cycles_build(struct counted_cycles *c, const struct contexts *sampled,
			 const struct tree *calls, struct error *err);
void counted_cycles_free(struct counted_cycles *c);

#endif
