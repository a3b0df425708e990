/* SPDX-License-Identifier: MIT */
/*
 * history.h - histories of many nodes of the tree (Spivey 2004), one after the other.
 *
 * In: nodes of struct tree, in any order. Out: the entries of their histories.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "contexts/stack_history.h"
#include "tree/tree.h"

struct history_entry {
	uint32_t name; /* in tree->strings */
	bool is_marked;
};

struct history {
	const struct history_entry *entries; /* outermost first */
	uint32_t length;
};

/* What to read: the last `length` entries, at least one, of the history of a node, not the root. */
struct history_item {
	uint32_t node, length;
};

/*
 * Reads a batch of histories with one walk over the parts of the tree where their nodes are, since a
 * stack may be much longer than its history. Time is linear in what is read, or in the tree if that
 * is more; memory is that of a batch, about 40 MB, or of the longest history.
 */
struct history_reader {
	const struct tree *tree;
	struct stack_history active;
	const struct history_item *items;
	size_t batch;		       /* entries of one, if it is not a single longer item */
	size_t n, next;		       /* the item to be given out next, */
	size_t n_read;		       /* of the items that have been read so far */
	struct history_entry *entries; /* of the batch, in the items' order */
	size_t at;		       /* where the next item's are */
	struct history_place *places;  /* of the batch, by node */
	size_t n_places, places_room, entries_room;
};

/* The items must stay. Returns 0 or -1 (memory); history_close in any case. */
int history_open(struct history_reader *r, const struct tree *t, const struct history_item *items,
		 size_t n, struct error *err);
/* The next item's history, valid until the one after it. 1: here it is; 0: there are no more; -1:
 * memory. */
int history_next(struct history_reader *r, struct history *h, struct error *err);
void history_close(struct history_reader *r);

#endif
