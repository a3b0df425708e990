/* SPDX-License-Identifier: MIT */
/*
 * stack_history.h - the history of the stack at hand, along a walk over the tree (Spivey 2004).
 *
 * In: nodes of struct tree, in preorder. Out: a stack with marks.
 *
 * What the paper's steps A1 to A5 make of a stack can be read off the stack. A1 leaves direct
 * repeats out. A2 and A3 mark the last occurrence of each function. Of the unmarked entries between
 * two marked ones A4 leaves the first and the last, which are never in the middle, and A5 one of
 * these if they are the same:
 *
 *     stack     Main  P  Q  R  P  Q  R  P  Q  R        marked: the last P, Q, R, and Main
 *                 ^   first       last  ^  ^  ^
 *     history   Main (P           R)    P  Q  R
 *
 * So a history is known if for all neighbours among the marked frames it is known what stands
 * after the left one and before the right one. As the names of marked frames are distinct, these
 * four names, gathered over all neighbours, are the history whatever their order.
 *
 * A call changes two pairs of neighbours: those around the function's earlier occurrence, which is
 * no longer the last, and those at the end. The marked frames are kept in a list, and the history's
 * fingerprint as the sum of its neighbours'. Each call, and its undoing, takes constant time.
 */
#ifndef STACK_HISTORY_H
#define STACK_HISTORY_H

#include <stdint.h>

#include "base/error.h"
#include "base/fingerprint.h"
#include "tree/tree.h"

/* A frame of the stack. Frame 0 stands outside of the outermost function, without a name. */
struct stack_history_frame {
	uint32_t name;
	uint32_t depth;		/* of its tree node */
	uint32_t earlier;	/* where its function stood last, outside of it; 0: nowhere */
	uint32_t before, after; /* its neighbours, if it is marked; nothing is after the last one */
	uint32_t length;	/* entries of the history when this frame is the innermost one */
	struct fingerprint print; /* and that history's fingerprint */
	struct fingerprint link;  /* the part of it that is of this frame and the one before */
};

struct stack_history {
	struct fingerprint_secret secret;
	struct stack_history_frame *frames;
	uint32_t top;	/* the innermost one, which is marked */
	uint32_t *last; /* by name: its innermost frame, 0: none */
};

/* Returns 0 or -1 (memory); stack_history_close in any case. */
int stack_history_open(struct stack_history *a, const struct tree *t, struct error *err);
/* Go on to a node. Its parent is the node before or one of that one's ancestors. */
void stack_history_enter(struct stack_history *a, const struct tree_node *n);
void stack_history_close(struct stack_history *a);

/* Unmarked entries between two neighbours: frame left + 1, and frame right - 1 if there are two. */
static inline uint32_t stack_history_gap(const struct stack_history *a, uint32_t left,
					 uint32_t right)
{
	if (left + 1 == right)
		return 0;
	return a->frames[left + 1].name == a->frames[right - 1].name ? 1 : 2;
}

#endif
