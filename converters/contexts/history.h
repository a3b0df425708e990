/* SPDX-License-Identifier: MIT */
/*
 * history.h - the histories of stacks.
 */
#ifndef CONTEXTS_HISTORY_H
#define CONTEXTS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/stop.h"
#include "tree/tree.h"

/* ---- stack history --------------------------------------------------------------------------- */
/*
 * The history of the current stack during a walk over the tree (Spivey 2004).
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
/* Go on to a node of that depth that is not to be entered. */
void stack_history_leave(struct stack_history *a, uint32_t depth);
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

/* ---- history --------------------------------------------------------------------------------- */
/*
 * Finds the histories of many nodes of the tree (Spivey 2004), one after the other.
 *
 * In: nodes of struct tree, in any order. Out: the entries of their histories.
 */

struct history_entry {
	uint32_t name; /* in tree->strings */
	bool is_marked;
};

struct history {
	const struct history_entry *entries; /* outermost first */
	uint32_t length;
};

/* The part of a history to be found: its last `length` entries, at least one. `node` is not the
 * root. */
struct history_item {
	uint32_t node, length;
};

/*
 * A stack may be much longer than its history. So histories are found in batches, each with one
 * walk over the parts of the tree that contain its nodes. Time is linear in the length of the
 * histories, or in the tree if that is more. Memory is that of a batch, about 40 MB, or of the
 * longest history.
 */
struct history_reader {
	const struct tree *tree;
	struct stack_history active;
	const struct history_item *items;
	size_t batch;		       /* most entries of a batch, unless it is one longer item */
	size_t n, next;		       /* number of items; the item to be returned next */
	size_t n_read;		       /* number of items whose histories were found so far */
	struct history_entry *entries; /* of the batch, in the order of the items */
	size_t at;		       /* the first entry of the next item */
	struct history_place *places;  /* of the batch, sorted by node */
	size_t n_places, places_room, entries_room;
};

/* The tree and the items must outlive the reader. Returns 0, or -1 if memory is out. Call
 * history_close in any case. */
int history_open(struct history_reader *r, const struct tree *t, const struct history_item *items,
		 size_t n, struct error *err);
/* Get the history of the next item, which is valid until the next call. Returns 1, or 0 if there
 * are no more, or -1 if memory is out. */
int history_next(struct history_reader *r, struct history *h, struct error *err);
void history_close(struct history_reader *r);

#endif
