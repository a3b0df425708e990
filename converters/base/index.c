/* SPDX-License-Identifier: MIT */
/*
 * index.c - enlarges an index.
 *
 * In: the number of keys to be added. Out: slots for them.
 *
 * At most three quarters of the slots are used, because a search in a fuller table probes many
 * slots.
 */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 16u

void index_empty(struct index *x)
{
	/* All bits are set, so that every number is INDEX_NONE. */
	if (x->n_slots)
		memset(x->slots, 0xff, x->n_slots * sizeof(*x->slots));
	x->used = 0;
}

void index_clear(struct index *x)
{
	free(x->slots);
	*x = (struct index){0};
}

/* Copy all keys. They are known to be distinct, so each key goes to the first free slot. */
static void move_keys(struct index *to, const struct index *from)
{
	size_t mask = to->n_slots - 1;

	for (size_t i = 0; i < from->n_slots; i++) {
		size_t k = (size_t)from->slots[i].tag & mask;

		if (from->slots[i].number == INDEX_NONE)
			continue;
		while (to->slots[k].number != INDEX_NONE)
			k = (k + 1) & mask;
		to->slots[k] = from->slots[i];
	}
	to->used = from->used;
}

int index_reserve(struct index *x, size_t n)
{
	struct index larger = {.n_slots = x->n_slots ? x->n_slots : FIRST_SLOTS};

	if (x->n_slots && x->used + n <= x->n_slots / 4 * 3)
		return 0;
	while (x->used + n > larger.n_slots / 4 * 3)
		if (__builtin_mul_overflow(larger.n_slots, 2, &larger.n_slots))
			return -1;
	larger.slots = reallocarray(NULL, larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	index_empty(&larger);
	move_keys(&larger, x);
	free(x->slots);
	*x = larger;
	return 0;
}
