/* SPDX-License-Identifier: MIT */
/*
 * history.c - reads a history off a call stack (Spivey 2004; contexts.c says how).
 *
 * Shape room. In: a node of struct tree. Out: the entries of its history.
 */
#include "history.h"

#include <stdlib.h>

int history_open(struct history *h, const struct tree *t, struct error *err)
{
	*h = (struct history){.tree = t, .n_room = tree_height(t)};
	h->room = malloc((h->n_room + 1) * sizeof(*h->room));
	h->seen = calloc(strings_count(t->strings) + 1, sizeof(*h->seen));
	return h->room && h->seen ? 0 : error_memory(err);
}

/* Entries come from the innermost one outwards. */
static void put(struct history *h, uint32_t name, bool is_marked)
{
	h->entries--;
	h->length++;
	*h->entries = (struct history_entry){name, is_marked};
}

/* What is left of the frames between two marked ones. */
static void put_gap(struct history *h, uint32_t first, uint32_t last)
{
	if (last == STRINGS_NONE)
		return;
	put(h, last, false);
	if (first != last)
		put(h, first, false);
}

void history_read(struct history *h, uint32_t node)
{
	const struct tree_node *nodes = h->tree->nodes;
	uint32_t inner = STRINGS_NONE; /* the frame before, which is this one's callee */
	uint32_t last = STRINGS_NONE;  /* of the gap at hand; none: there is no gap */

	h->entries = h->room + h->n_room;
	h->length = 0;
	h->n_readings++;
	for (; node != 0; node = nodes[node].parent) {
		uint32_t name = nodes[node].name;

		if (name == inner)
			continue;
		if (h->seen[name] != h->n_readings) {
			h->seen[name] = h->n_readings;
			put_gap(h, inner, last);
			put(h, name, true);
			last = STRINGS_NONE;
		} else if (last == STRINGS_NONE) {
			last = name;
		}
		inner = name;
	}
	put_gap(h, inner, last);
}

void history_close(struct history *h)
{
	free(h->room);
	free(h->seen);
}
