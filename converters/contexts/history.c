/* SPDX-License-Identifier: MIT */
/*
 * history.c - the histories of stacks.
 */
#include <stdlib.h>

#include "base/array.h"
#include "contexts/history.h"

/* ---- stack history --------------------------------------------------------------------------- */

int stack_history_open(struct stack_history *a, const struct tree *t, struct error *err)
{
	*a = (struct stack_history){.secret = fingerprint_secret()};
	a->frames = malloc((tree_height(t) + 1) * sizeof(*a->frames));
	a->last = calloc(strings_count(t->strings) + 1, sizeof(*a->last));
	if (!a->frames || !a->last)
		return error_memory(err);
	a->frames[0] = (struct stack_history_frame){.name = STRINGS_NONE};
	return 0;
}

void stack_history_close(struct stack_history *a)
{
	free(a->frames);
	free(a->last);
}

/* The fingerprint of two neighbours: of their names, the name after the left one, and the name
 * before the right one. If no frames are between them, the latter are the names of each other. */
static struct fingerprint link_print(const struct stack_history *a, uint32_t left, uint32_t right)
{
	const struct stack_history_frame *f = a->frames;

	return fingerprint_of(&a->secret, (uint64_t)f[left].name << 32 | f[left + 1].name,
			      (uint64_t)f[right - 1].name << 32 | f[right].name);
}

/* Make `left` and `right` neighbours, and add them to f's fingerprint and length of the history. */
static void join(struct stack_history *a, uint32_t left, uint32_t right,
		 struct stack_history_frame *f)
{
	struct fingerprint link = link_print(a, left, right);

	a->frames[left].after = right;
	a->frames[right].before = left;
	a->frames[right].link = link;
	f->print = fingerprint_plus(f->print, link);
	f->length += stack_history_gap(a, left, right);
}

/* Take the neighbours `left` and `right` out of f's fingerprint and length of the history. */
static void part(const struct stack_history *a, uint32_t left, uint32_t right,
		 struct stack_history_frame *f)
{
	f->print = fingerprint_minus(f->print, a->frames[right].link);
	f->length -= stack_history_gap(a, left, right);
}

/* Remove the mark of frame `at`. The frame keeps its neighbours, for mark_again. */
static void unmark(struct stack_history *a, uint32_t at, struct stack_history_frame *f)
{
	uint32_t left = a->frames[at].before, right = a->frames[at].after;

	part(a, left, at, f);
	part(a, at, right, f);
	f->length--;
	join(a, left, right, f);
}

static void mark_again(struct stack_history *a, uint32_t at)
{
	uint32_t right = a->frames[at].after;

	a->frames[a->frames[at].before].after = at;
	a->frames[right].before = at;
	a->frames[right].link = link_print(a, at, right);
}

/* Enter a function that is not the running one. */
static void push(struct stack_history *a, const struct tree_node *n)
{
	uint32_t at = a->top + 1;
	struct stack_history_frame *f = &a->frames[at];

	*f = (struct stack_history_frame){
		.name = n->name,
		.depth = n->depth,
		.earlier = a->last[n->name],
		.length = a->frames[a->top].length,
		.print = a->frames[a->top].print,
	};
	if (f->earlier)
		unmark(a, f->earlier, f);
	join(a, a->top, at, f);
	f->length++;
	a->last[n->name] = at;
	a->top = at;
}

static void pop(struct stack_history *a)
{
	const struct stack_history_frame *f = &a->frames[a->top--];

	a->last[f->name] = f->earlier;
	if (f->earlier)
		mark_again(a, f->earlier);
}

void stack_history_leave(struct stack_history *a, uint32_t depth)
{
	while (a->top > 0 && a->frames[a->top].depth >= depth)
		pop(a);
}

void stack_history_enter(struct stack_history *a, const struct tree_node *n)
{
	stack_history_leave(a, n->depth);
	if (a->frames[a->top].name != n->name)
		push(a, n);
}

/* ---- history --------------------------------------------------------------------------------- */

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
