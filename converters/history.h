/* SPDX-License-Identifier: MIT */
/*
 * history.h - the history that stands for a call stack: functions with marks (Spivey 2004).
 *
 * Shape room. In: a node of struct tree. Out: the entries of its history.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "tree.h"

struct history_entry {
	uint32_t name; /* in tree->strings */
	bool is_marked;
};

/* A place for one history at a time. */
struct history {
	const struct tree *tree;
	struct history_entry *entries; /* outermost first */
	uint32_t length;
	struct history_entry *room; /* for the longest one; it is filled from its end */
	size_t n_room;
	uint32_t *seen; /* by name: the last reading that met it */
	uint32_t n_readings;
};

/* Returns 0 or -1 (memory); history_close in any case. */
int history_open(struct history *h, const struct tree *t, struct error *err);
/* Read the history of a tree node, or of the root, which is empty. Time is linear in its depth. */
void history_read(struct history *h, uint32_t node);
void history_close(struct history *h);

#endif
