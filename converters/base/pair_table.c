/* SPDX-License-Identifier: MIT */
/*
 * pair_table.c - numbers distinct pairs of numbers.
 *
 * In: pairs. Out: their numbers. Open addressing; a slot holds the whole key, so that a
 * lookup costs one cache miss even in a table of ten million. Of a tree, only nodes that have
 * siblings are in the table.
 */
#include "base/pair_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_SLOTS 256u

static size_t slot_of(const struct pair_table *t, uint32_t a, uint32_t b)
{
	return (size_t)hash_pair(&t->secret, (uint64_t)a << 32 | b, 0) & (t->n_slots - 1);
}

static struct pair_table_slot *find(const struct pair_table *t, uint32_t a, uint32_t b)
{
	size_t i = slot_of(t, a, b);

	while (t->slots[i].number != PAIR_TABLE_NONE && (t->slots[i].a != a || t->slots[i].b != b))
		i = (i + 1) & (t->n_slots - 1);
	return &t->slots[i];
}

/* Make room for two more. */
static int reserve(struct pair_table *t)
{
	struct pair_table bigger = {.n_slots = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS};
	size_t i;

	if (t->used + 2 <= t->n_slots / 4 * 3)
		return 0;
	bigger.slots = malloc(bigger.n_slots * sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	bigger.secret = t->n_slots ? t->secret : hash_secret();
	/* All bits set: every number is PAIR_TABLE_NONE. */
	memset(bigger.slots, 0xff, bigger.n_slots * sizeof(*bigger.slots));
	for (i = 0; i < t->n_slots; i++)
		if (t->slots[i].number != PAIR_TABLE_NONE)
			*find(&bigger, t->slots[i].a, t->slots[i].b) = t->slots[i];
	free(t->slots);
	t->secret = bigger.secret;
	t->slots = bigger.slots;
	t->n_slots = bigger.n_slots;
	return 0;
}

static void put(struct pair_table *t, struct pair_table_slot pair)
{
	struct pair_table_slot *slot = find(t, pair.a, pair.b);

	if (slot->number != PAIR_TABLE_NONE)
		return;
	*slot = pair;
	t->used++;
}

uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b)
{
	const struct pair_table_slot *slot;

	if (reserve(t))
		return PAIR_TABLE_NONE;
	slot = find(t, a, b);
	if (slot->number != PAIR_TABLE_NONE)
		return slot->number;
	if (t->count == PAIR_TABLE_NONE)
		return PAIR_TABLE_NONE;
	put(t, (struct pair_table_slot){a, b, t->count});
	return t->count++;
}

/* What is known of a parent, which may be asked for the first time. */
static struct pair_table_latest *latest_of(struct pair_table *t, uint32_t parent)
{
	if (!array_reserve(&t->latest, &t->latest_size, (size_t)parent + 1, sizeof(*t->latest)))
		return NULL;
	for (; t->n_latest <= parent; t->n_latest++)
		t->latest[t->n_latest].number = PAIR_TABLE_NONE;
	return &t->latest[parent];
}

/* A pair that is not in the table. The first of siblings joins it when the second one comes. */
static uint32_t add_child(struct pair_table *t, uint32_t parent, uint32_t b)
{
	struct pair_table_latest *latest = latest_of(t, parent);

	if (!latest || t->count == PAIR_TABLE_NONE)
		return PAIR_TABLE_NONE;
	if (latest->number != PAIR_TABLE_NONE) {
		if (reserve(t))
			return PAIR_TABLE_NONE;
		put(t, (struct pair_table_slot){parent, latest->b, latest->number});
		put(t, (struct pair_table_slot){parent, b, t->count});
	}
	*latest = (struct pair_table_latest){b, t->count};
	return t->count++;
}

/* The child is not the latest one. */
uint32_t pair_table_child_other(struct pair_table *t, uint32_t parent, uint32_t b)
{
	const struct pair_table_slot *slot = t->n_slots ? find(t, parent, b) : NULL;

	if (!slot || slot->number == PAIR_TABLE_NONE)
		return add_child(t, parent, b);
	t->latest[parent] = (struct pair_table_latest){b, slot->number};
	return slot->number;
}

void pair_table_clear(struct pair_table *t)
{
	free(t->latest);
	free(t->slots);
	*t = (struct pair_table){0};
}
