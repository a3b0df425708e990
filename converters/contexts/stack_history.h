/* SPDX-License-Identifier: MIT */
/*
 * stack_history.h - the history of the current stack during a walk over the tree (Spivey 2004).
 *
 * In: nodes of struct tree, in preorder. Out: a stack with marks.
 *
 * The history that the paper's steps A1 to A5 make of a stack can be read off the stack. A1 leaves
 * out direct repeats. A2 and A3 mark the last occurrence of each function. Of the unmarked entries
 * between two marked ones, A4 keeps only the first and the last, and A5 keeps only one of these if
 * they are the same function:
 *
 *     stack     Main  P  Q  R  P  Q  R  P  Q  R        marked: the last P, Q, R, and Main
 *                 ^   first       last  ^  ^  ^
 *     history   Main (P           R)    P  Q  R
 *
 * So four names describe each pair of neighbours among the marked frames: those of the two frames,
 * the name after the left one, and the name before the right one. Because the names of marked
 * frames are distinct, these names of all pairs determine the history, in whatever order the pairs
 * are.
 *
 * A call changes the pairs of neighbours in two places: around the earlier occurrence of the
 * function, which is no longer the last one, and at the end. The marked frames are kept in a list,
 * and the fingerprint of the history is the sum of the fingerprints of all pairs. So a call takes
 * constant time, and so does undoing it.
 */
#ifndef STACK_HISTORY_H
#define STACK_HISTORY_H

#include <stdint.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "tree/tree.h"

/* A frame of the stack. Frame 0 stands for the caller of the outermost function and has no name. */
struct stack_history_frame {
	uint32_t name;
	uint32_t depth;		/* of its tree node */
	uint32_t earlier;	/* the previous frame of the same function; 0: there is none */
	uint32_t before, after; /* its neighbours if it is marked; the last one has no `after` */
	uint32_t length; /* of the history when this frame is the innermost one, in entries */
	struct fingerprint print; /* the fingerprint of that history */
	struct fingerprint link;  /* the fingerprint of this frame and `before` as neighbours */
};

struct stack_history {
	struct fingerprint_secret secret;
	struct stack_history_frame *frames;
	uint32_t top;	/* the innermost frame, which is marked */
	uint32_t *last; /* by name: its innermost frame; 0: there is none */
};

/* Returns 0, or -1 if memory is out. Call stack_history_close in any case. */
int stack_history_open(struct stack_history *a, const struct tree *t, struct error *err);
/* Go on to node n. Its parent is the previous node, or an ancestor of the previous node. */
void stack_history_enter(struct stack_history *a, const struct tree_node *n);
void stack_history_close(struct stack_history *a);

/* The number of unmarked entries between two neighbours. The first is the name of frame left + 1;
 * if there are two, the second is the name of frame right - 1. */
static inline uint32_t stack_history_gap(const struct stack_history *a, uint32_t left,
					 uint32_t right)
{
	if (left + 1 == right)
		return 0;
	return a->frames[left + 1].name == a->frames[right - 1].name ? 1 : 2;
}

#endif
