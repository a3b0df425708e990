/* SPDX-License-Identifier: MIT */
/*
 * history.h - finds the histories of many nodes of the tree (Spivey 2004), one after the other.
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
