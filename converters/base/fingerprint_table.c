/* SPDX-License-Identifier: MIT */
/*
 * prints.c - numbers distinct fingerprints.
 *
 * Shape room. In: fingerprints. Out: their numbers. Open addressing; a slot has part of the
 * fingerprint, so that one that is new hardly ever costs a look at another one's.
 */
#include "base/fingerprint_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_SLOTS 256u

struct print_secret print_secret(void)
{
	struct hash_secret s = hash_secret();

	/* The second half's is made of the first one's: odd constants of no meaning. */
	return (struct print_secret){
		.a = s,
		.b = {hash_fold(s.a, UINT64_C(0xe7037ed1a0b428db)),
		      hash_fold(s.b, UINT64_C(0x8ebc6af09c88c6e3))},
	};
}

/* The slot of p, or the free one where it belongs. */
static struct prints_slot *find(const struct prints *t, struct print p)
{
	size_t i = (size_t)p.a & (t->n_slots - 1);
	uint32_t tag = (uint32_t)p.b;

	for (;; i = (i + 1) & (t->n_slots - 1)) {
		struct prints_slot *slot = &t->slots[i];
		const struct print *q;

		if (slot->number == PRINTS_NONE)
			return slot;
		if (slot->tag != tag)
			continue;
		q = &t->prints[slot->number];
		if (q->a == p.a && q->b == p.b)
			return slot;
	}
}

static int grow(struct prints *t)
{
	size_t i, n = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	struct prints_slot *slots = malloc(n * sizeof(*slots));

	if (!slots)
		return -1;
	/* All bits set: every number is PRINTS_NONE. */
	memset(slots, 0xff, n * sizeof(*slots));
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (i = 0; i < t->count; i++)
		*find(t, t->prints[i]) =
			(struct prints_slot){(uint32_t)t->prints[i].b, (uint32_t)i};
	return 0;
}

uint32_t prints_number(struct prints *t, struct print p)
{
	struct prints_slot *slot;

	if (t->count >= t->n_slots / 4 * 3 && grow(t))
		return PRINTS_NONE;
	slot = find(t, p);
	if (slot->number != PRINTS_NONE)
		return slot->number;
	if (t->count == PRINTS_NONE ||
	    !array_reserve(&t->prints, &t->room, t->count + 1u, sizeof(*t->prints)))
		return PRINTS_NONE;
	t->prints[t->count] = p;
	*slot = (struct prints_slot){(uint32_t)p.b, t->count};
	return t->count++;
}

void prints_clear(struct prints *t)
{
	free(t->prints);
	free(t->slots);
	*t = (struct prints){0};
}
