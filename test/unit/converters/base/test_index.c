/* SPDX-License-Identifier: MIT */
/*
 * test_index.c - an index finds each key, also where hash values collide, and after it has grown.
 */
#include <criterion/criterion.h>

#include "base/hash.h"

enum { KEYS = 10000 };

static bool is_equal(const void *keys, uint32_t number, const void *key)
{
	return ((const uint32_t *)keys)[number] == *(const uint32_t *)key;
}

/* All keys share a few tags, and these share their low bits, from which the search begins. */
static uint64_t tag_of(uint32_t key)
{
	return (uint64_t)(key % 7) << 32;
}

Test(index, compares_keys_whose_tags_are_equal)
{
	static const uint32_t keys[] = {70, 700, 7, 1};
	struct index x = {0};

	cr_assert_eq(index_find(&x, 0, is_equal, keys, &keys[0]), INDEX_NONE, "none so far");
	for (uint32_t i = 0; i < 3; i++) {
		struct index_slot *slot;

		cr_assert_eq(index_reserve(&x, 1), 0);
		slot = index_slot(&x, tag_of(keys[i]), is_equal, keys, &keys[i]);
		cr_assert_eq(slot->number, INDEX_NONE);
		index_fill(&x, slot, tag_of(keys[i]), i);
	}
	for (uint32_t i = 0; i < 3; i++)
		cr_assert_eq(index_find(&x, tag_of(keys[i]), is_equal, keys, &keys[i]), i);
	cr_assert_eq(index_find(&x, tag_of(keys[3]), is_equal, keys, &keys[3]), INDEX_NONE);
	cr_assert_eq(x.used, 3);
	index_clear(&x);
	cr_assert_null(x.slots);
}

Test(index, keeps_its_keys_while_it_grows)
{
	struct index x = {0};

	for (uint32_t i = 0; i < KEYS; i++) {
		uint64_t tag = i * UINT64_C(0x100000001);

		cr_assert_eq(index_reserve(&x, 1), 0);
		index_fill(&x, index_tag_slot(&x, tag), tag, i);
		cr_assert_lt(x.used, x.n_slots, "a search ends at a free slot");
	}
	for (uint32_t i = 0; i < KEYS; i++)
		cr_assert_eq(index_tag_find(&x, i * UINT64_C(0x100000001)), i);
	cr_assert_eq(index_tag_find(&x, KEYS * UINT64_C(0x100000001)), INDEX_NONE);
	cr_assert_eq(index_tag_find(&x, 1), INDEX_NONE, "a tag counts with all of its bits");
	index_empty(&x);
	cr_assert_eq(index_tag_find(&x, 0), INDEX_NONE);
	cr_assert_eq(x.used, 0);
	index_clear(&x);
}

Test(index, makes_room_for_many_at_once)
{
	struct index x = {0};
	size_t n_slots;

	cr_assert_eq(index_reserve(&x, 1000), 0);
	n_slots = x.n_slots;
	cr_assert_geq(n_slots, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		cr_assert_eq(index_reserve(&x, 1), 0);
		index_fill(&x, index_tag_slot(&x, i), i, i);
	}
	cr_assert_eq(x.n_slots, n_slots);
	cr_assert_neq(index_reserve(&x, SIZE_MAX / 2), 0, "there is no such memory");
	cr_assert_eq(index_tag_find(&x, 999), 999);
	index_clear(&x);
}
