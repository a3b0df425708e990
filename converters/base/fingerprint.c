/* SPDX-License-Identifier: MIT */
/*
 * fingerprint.c - numbers distinct fingerprints.
 *
 * In: fingerprints. Out: their numbers.
 *
 * One half of a fingerprint is its tag in the index, so a new fingerprint hardly ever has to be
 * compared with another one.
 */
#include "base/fingerprint.h"

#include <stdlib.h>

#include "base/array.h"

struct fingerprint_secret fingerprint_secret(void)
{
	struct hash_secret s = hash_secret();

	/* The secret of the second half is derived from that of the first half with arbitrary odd
	 * constants. */
	return (struct fingerprint_secret){
		.a = s,
		.b = {hash_fold(s.a, UINT64_C(0xe7037ed1a0b428db)),
		      hash_fold(s.b, UINT64_C(0x8ebc6af09c88c6e3))},
	};
}

static bool is_equal(const void *keys, uint32_t number, const void *key)
{
	const struct fingerprint *prints = keys, *print = key;

	return prints[number].a == print->a && prints[number].b == print->b;
}

uint32_t fingerprint_table_number(struct fingerprint_table *t, struct fingerprint p)
{
	struct index_slot *slot;

	if (index_reserve(&t->numbers, 1))
		return FINGERPRINT_TABLE_NONE;
	slot = index_slot(&t->numbers, p.a, is_equal, t->all, &p);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (t->count == FINGERPRINT_TABLE_NONE ||
	    !array_reserve(&t->all, &t->room, t->count + 1u, sizeof(*t->all)))
		return FINGERPRINT_TABLE_NONE;
	t->all[t->count] = p;
	index_fill(&t->numbers, slot, p.a, t->count);
	return t->count++;
}

void fingerprint_table_clear(struct fingerprint_table *t)
{
	free(t->all);
	index_clear(&t->numbers);
	*t = (struct fingerprint_table){0};
}
