/* SPDX-License-Identifier: MIT */
/*
 * fingerprint.c - numbers distinct fingerprints.
 *
 * In: fingerprints. Out: their numbers. Open addressing; a slot has part of the
 * fingerprint, so that one that is new hardly ever costs a look at another one's.
 */
#include "base/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_SLOTS 256u

struct fingerprint_secret fingerprint_secret(void)
{
	struct hash_secret s = hash_secret();

	/* The second half's is made of the first one's: odd constants of no meaning. */
	return (struct fingerprint_secret){
		.a = s,
		.b = {hash_fold(s.a, UINT64_C(0xe7037ed1a0b428db)),
		      hash_fold(s.b, UINT64_C(0x8ebc6af09c88c6e3))},
	};
}

/* The slot of p, or the free one where it belongs. */
static struct fingerprint_table_slot *find(const struct fingerprint_table *t, struct fingerprint p)
{
	size_t i = (size_t)p.a & (t->n_slots - 1);
	uint32_t tag = (uint32_t)p.b;

	for (;; i = (i + 1) & (t->n_slots - 1)) {
		struct fingerprint_table_slot *slot = &t->slots[i];
		const struct fingerprint *q;

		if (slot->number == FINGERPRINT_TABLE_NONE)
			return slot;
		if (slot->tag != tag)
			continue;
		q = &t->prints[slot->number];
		if (q->a == p.a && q->b == p.b)
			return slot;
	}
}

static int grow(struct fingerprint_table *t)
{
	size_t i, n = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
	struct fingerprint_table_slot *slots = malloc(n * sizeof(*slots));

	if (!slots)
		return -1;
	/* All bits set: every number is FINGERPRINT_TABLE_NONE. */
	memset(slots, 0xff, n * sizeof(*slots));
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (i = 0; i < t->count; i++)
		*find(t, t->prints[i]) =
			(struct fingerprint_table_slot){(uint32_t)t->prints[i].b, (uint32_t)i};
	return 0;
}

uint32_t fingerprint_table_number(struct fingerprint_table *t, struct fingerprint p)
{
	struct fingerprint_table_slot *slot;

	if (t->count >= t->n_slots / 4 * 3 && grow(t))
		return FINGERPRINT_TABLE_NONE;
	slot = find(t, p);
	if (slot->number != FINGERPRINT_TABLE_NONE)
		return slot->number;
	if (t->count == FINGERPRINT_TABLE_NONE ||
	    !array_reserve(&t->prints, &t->room, t->count + 1u, sizeof(*t->prints)))
		return FINGERPRINT_TABLE_NONE;
	t->prints[t->count] = p;
	*slot = (struct fingerprint_table_slot){(uint32_t)p.b, t->count};
	return t->count++;
}

void fingerprint_table_clear(struct fingerprint_table *t)
{
	free(t->prints);
	free(t->slots);
	*t = (struct fingerprint_table){0};
}
