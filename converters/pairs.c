/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - numbers distinct pairs of numbers.
 *
 * Base room. In: pairs. Out: their numbers. Open addressing; a slot holds the whole key, so that a
 * lookup costs one cache miss even in a table of ten million.
 */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u

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

static int grow(struct pairs *t)
{
	struct pairs bigger = {.n_slots = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS};
	size_t i;

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

uint32_t pairs_number(struct pairs *t, uint32_t a, uint32_t b)
{
	struct pairs_slot *slot;

	if (t->count >= t->n_slots / 4 * 3 && grow(t))
		return PAIRS_NONE;
	slot = find(t, a, b);
	if (slot->number != PAIRS_NONE)
		return slot->number;
	if (t->count == PAIRS_NONE)
		return PAIRS_NONE;
	*slot = (struct pairs_slot){a, b, t->count};
	return t->count++;
}

void pairs_clear(struct pairs *t)
{
	free(t->slots);
	*t = (struct pairs){0};
}
