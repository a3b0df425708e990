/* SPDX-License-Identifier: MIT */
/*
 * history.c - finds the histories of many nodes of the tree, in batches.
 *
 * In: nodes of struct tree, in any order. Out: the entries of their histories.
 */
#include "contexts/history.h"

#include <stdlib.h>

#include "base/array.h"

#define BATCH_ENTRIES 4000000u
#define BATCH_ITEMS   500000u

/* The place for the history of a node. */
struct history_place {
	uint32_t node, length;
	size_t at; /* index in history_reader.entries */
};

int history_open(struct history_reader *r, const struct tree *t, const struct history_item *items,
		 size_t n, struct error *err)
{
	*r = (struct history_reader){.tree = t, .items = items, .n = n, .batch = BATCH_ENTRIES};
	return stack_history_open(&r->active, t, err);
}

void history_close(struct history_reader *r)
{
	stack_history_close(&r->active);
	free(r->entries);
	free(r->places);
}

static void put(const struct stack_history *a, const struct history_place *p,
		struct history_entry *to)
{
	const struct stack_history_frame *f = a->frames;
	uint32_t right = a->top, left, gap, n = p->length;

	for (; n > 0 && right > 0; right = left) {
		left = f[right].before;
		gap = stack_history_gap(a, left, right);
		to[--n] = (struct history_entry){f[right].name, true};
		if (n > 0 && gap > 0)
			to[--n] = (struct history_entry){f[right - 1].name, false};
		if (n > 0 && gap > 1)
			to[--n] = (struct history_entry){f[left + 1].name, false};
	}
}

static int compare(const void *a, const void *b)
{
	const struct history_place *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

/* Prepare places for the next batch, which has at least one item. */
static int plan(struct history_reader *r)
{
	const struct history_item *items = r->items + r->n_read;
	size_t left = r->n - r->n_read, n = 0, entries = 0, i;

	while (n < left && n < BATCH_ITEMS && (n == 0 || entries + items[n].length <= r->batch))
		entries += items[n++].length;
	if (!array_reserve(&r->places, &r->places_room, n, sizeof(*r->places)) ||
	    !array_reserve(&r->entries, &r->entries_room, entries, sizeof(*r->entries)))
		return -1;
	entries = 0;
	for (i = 0; i < n; i++) {
		r->places[i] = (struct history_place){items[i].node, items[i].length, entries};
		entries += items[i].length;
	}
	qsort(r->places, n, sizeof(*r->places), compare);
	r->n_places = n;
	return 0;
}

/* Walk the tree and write the histories of the batch. Subtrees without any of its nodes are
 * skipped. */
static void walk(struct history_reader *r)
{
	const struct history_place *p = r->places, *end = p + r->n_places;
	uint32_t i = 1;

	while (p < end) {
		const struct tree_node *n = &r->tree->nodes[i];

		if (p->node >= n->end) {
			i = n->end;
			continue;
		}
		stack_history_enter(&r->active, n);
		for (; p < end && p->node == i; p++)
			put(&r->active, p, r->entries + p->at);
		i++;
	}
}

int history_next(struct history_reader *r, struct history *h, struct error *err)
{
	if (r->next == r->n)
		return 0;
	if (r->next == r->n_read) {
		if (plan(r))
			return error_memory(err);
		walk(r);
		r->n_read += r->n_places;
		r->at = 0;
	}
	h->length = r->items[r->next++].length;
	h->entries = r->entries + r->at;
	r->at += h->length;
	return 1;
}
