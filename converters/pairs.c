/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - numbers distinct pairs of numbers.
 *
 * Base room. In: pairs. Out: their numbers. Open addressing; a slot holds the whole key, so that a
 * lookup costs one cache miss even in a table of ten million. Of a tree, only nodes that have
 * siblings are in the table.
 */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define FIRST_SLOTS 256u

/* Of a tree's node, the child that was asked for last. */
struct pairs_latest {
	uint32_t b, number; /* number PAIRS_NONE: the node has no child */
};

static size_t slot_of(const struct pairs *t, uint32_t a, uint32_t b)
{
	uint64_t x = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(x ^ x >> 32) & (t->n_slots - 1);
}

static struct pairs_slot *find(const struct pairs *t, uint32_t a, uint32_t b)
{
	size_t i = slot_of(t, a, b);

	while (t->slots[i].number != PAIRS_NONE && (t->slots[i].a != a || t->slots[i].b != b))
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

/* Make room for two more. */
static int reserve(struct pairs *t)
{
	struct pairs bigger = {.n_slots = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS};
	size_t i;

	if (t->used + 2 <= t->n_slots / 4 * 3)
		return 0;
	bigger.slots = malloc(bigger.n_slots * sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	/* All bits set: every number is PAIRS_NONE. */
	memset(bigger.slots, 0xff, bigger.n_slots * sizeof(*bigger.slots));
	for (i = 0; i < t->n_slots; i++)
		if (t->slots[i].number != PAIRS_NONE)
			*find(&bigger, t->slots[i].a, t->slots[i].b) = t->slots[i];
	free(t->slots);
	t->slots = bigger.slots;
	t->n_slots = bigger.n_slots;
	return 0;
}

static void put(struct pairs *t, struct pairs_slot pair)
{
	struct pairs_slot *slot = find(t, pair.a, pair.b);

	if (slot->number != PAIRS_NONE)
		return;
	*slot = pair;
	t->used++;
}

uint32_t pairs_number(struct pairs *t, uint32_t a, uint32_t b)
{
	const struct pairs_slot *slot;

	if (reserve(t))
		return PAIRS_NONE;
	slot = find(t, a, b);
	if (slot->number != PAIRS_NONE)
		return slot->number;
	if (t->count == PAIRS_NONE)
		return PAIRS_NONE;
	put(t, (struct pairs_slot){a, b, t->count});
	return t->count++;
}

/* What is known of a parent, which may be asked for the first time. */
static struct pairs_latest *latest_of(struct pairs *t, uint32_t parent)
{
	if (!array_reserve(&t->latest, &t->latest_size, (size_t)parent + 1, sizeof(*t->latest)))
		return NULL;
	for (; t->n_latest <= parent; t->n_latest++)
		t->latest[t->n_latest].number = PAIRS_NONE;
	return &t->latest[parent];
}

uint32_t pairs_child(struct pairs *t, uint32_t parent, uint32_t b)
{
	struct pairs_latest *latest = latest_of(t, parent);
	uint32_t number;

	if (!latest)
		return PAIRS_NONE;
	if (latest->number == PAIRS_NONE) {
		if (t->count == PAIRS_NONE)
			return PAIRS_NONE;
		number = t->count++;
	} else if (latest->b == b) {
		return latest->number;
	} else {
		/* There are siblings: the latest one may not be in the table yet. */
		if (reserve(t))
			return PAIRS_NONE;
		put(t, (struct pairs_slot){parent, latest->b, latest->number});
		number = pairs_number(t, parent, b);
	}
	if (number != PAIRS_NONE)
		*latest = (struct pairs_latest){b, number};
	return number;
}

void pairs_clear(struct pairs *t)
{
	free(t->latest);
	free(t->slots);
	*t = (struct pairs){0};
}
