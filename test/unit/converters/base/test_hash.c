/* SPDX-License-Identifier: MIT */
/* test_hash.c - what is searched by hash values: an index, pairs, strings, fingerprints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/numbers.h"

/* ---- index ----------------------------------------------------------------------------------- */
/* An index finds each key, also where hash values collide, and after it has grown. */

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

/* ---- pair table ------------------------------------------------------------------------------ */
/* Pairs keep their numbers, whatever comes between. */

enum { FIRSTS = 300, SECONDS = 200 };

static uint32_t table[FIRSTS][SECONDS]; /* number + 1 */

Test(pair_table, number_in_order_of_arrival)
{
	struct pair_table t = {0};

	cr_assert_eq(pair_table_number(&t, 7, 1), 0);
	cr_assert_eq(pair_table_number(&t, 7, 1), 0);
	cr_assert_eq(pair_table_number(&t, 1, 7), 1, "the order within a pair counts");
	cr_assert_eq(pair_table_number(&t, UINT32_MAX, 2), 2, "any number");
	cr_assert_eq(pair_table_number(&t, 7, 1), 0);
	cr_assert_eq(t.count, 3);
	pair_table_clear(&t);
	cr_assert_eq(pair_table_number(&t, 1, 7), 0, "empty again");
	pair_table_clear(&t);
}

Test(pair_table, agree_with_a_plain_table)
{
	struct pair_table t = {0};
	uint32_t count = 0;
	int i;

	srand(1);
	for (i = 0; i < 100000; i++) {
		uint32_t a = (uint32_t)(rand() % FIRSTS), b = (uint32_t)(rand() % SECONDS);

		if (!table[a][b])
			table[a][b] = ++count;
		cr_assert_eq(pair_table_number(&t, a, b), table[a][b] - 1, "(%u, %u)", a, b);
	}
	cr_assert_eq(t.count, count);
	pair_table_clear(&t);
}

/* A tree in which some nodes have one child, some two, some many. */
Test(pair_table, children_agree_with_a_plain_table)
{
	struct pair_table t = {0};
	uint32_t count = 0;
	int i;

	srand(1);
	for (i = 0; i < 100000; i++) {
		uint32_t limit = count < FIRSTS - 1 ? count + 1 : FIRSTS;
		uint32_t a = (uint32_t)rand() % limit;
		uint32_t b = (uint32_t)rand() % (a % 3 == 0 ? 1 : a % 3 == 1 ? 2 : SECONDS);

		if (!table[a][b])
			table[a][b] = ++count;
		cr_assert_eq(pair_table_child(&t, a, b), table[a][b] - 1, "(%u, %u)", a, b);
	}
	cr_assert_eq(t.count, count);
	pair_table_clear(&t);
}

Test(pair_table, children_of_a_deep_path)
{
	struct pair_table t = {0};
	uint32_t i;

	for (i = 0; i < 1000000; i++)
		cr_assert_eq(pair_table_child(&t, i, i % 3), i);
	for (i = 0; i < 1000000; i += 1000)
		cr_assert_eq(pair_table_child(&t, i, i % 3), i);
	cr_assert_eq(t.numbers.used, 0, "nothing to look up");
	pair_table_clear(&t);
}

/* ---- strings --------------------------------------------------------------------------------- */
/* Distinct strings and numbers keep their number and their place. */

Test(strings, id_table_in_order_of_arrival)
{
	struct strings *s = strings_new();

	cr_assert_eq(strings_count(s), 0);
	cr_assert_eq(strings_find(s, "a", 1), STRINGS_NONE);
	cr_assert_eq(strings_add(s, "a", 1), 0);
	cr_assert_eq(strings_add(s, "", 0), 1);
	cr_assert_eq(strings_add(s, NULL, 0), 1);
	cr_assert_eq(strings_add(s, "a", 1), 0);
	cr_assert_eq(strings_add(s, "ab", 2), 2);
	cr_assert_eq(strings_find(s, "ab", 2), 2);
	cr_assert_eq(strings_count(s), 3);
	strings_free(s);
}

Test(strings, any_bytes)
{
	struct strings *s = strings_new();
	size_t n;

	cr_assert_eq(strings_add(s, "a\0b", 3), 0);
	cr_assert_eq(strings_add(s, "a\0c", 3), 1);
	cr_assert_eq(strings_add(s, "a", 1), 2);
	cr_assert_eq(memcmp(strings_get(s, 1, &n), "a\0c", 4), 0, "a NUL follows the bytes");
	cr_assert_eq(n, 3);
	strings_free(s);
}

/* Every length, so that every tail of the hash is used, and texts longer than a block. */
Test(strings, many_and_long_ones_stay_where_they_are)
{
	enum { N = 100000, LONG = 300000 };
	struct strings *s = strings_new();
	static const char *at[N];
	static char text[LONG];
	char name[32];
	size_t n;

	for (unsigned i = 0; i < N; i++) {
		int length = snprintf(name, sizeof(name), "%*u", (int)(i % 20), i);
		cr_assert_eq(strings_add(s, name, (size_t)length), i);
		at[i] = strings_get(s, i, NULL);
	}
	memset(text, 'x', sizeof(text));
	cr_assert_eq(strings_add(s, text, LONG), N);
	text[LONG - 1] = 'y';
	cr_assert_eq(strings_add(s, text, LONG), N + 1);
	cr_assert_eq(strings_find(s, text, LONG), N + 1);
	for (unsigned i = 0; i < N; i++) {
		int length = snprintf(name, sizeof(name), "%*u", (int)(i % 20), i);
		cr_assert_eq(strings_find(s, name, (size_t)length), i);
		cr_assert_eq(strings_get(s, i, &n), at[i]);
		cr_assert(n == (size_t)length && !strcmp(at[i], name));
	}
	strings_free(s);
}

/* The terminator needs room too, in a block that the bytes alone would fill. */
Test(strings, around_the_size_of_a_block)
{
	static char text[65536 + 3];

	memset(text, 'x', sizeof(text));
	for (size_t first = 0; first < 3; first++)
		for (size_t n = 65536 - 4; n <= sizeof(text); n++) {
			struct strings *s = strings_new();
			strings_add(s, "ab", first);
			uint32_t large = strings_add(s, text, n);
			strings_add(s, "next", 4);
			cr_assert_eq(strings_get(s, large, NULL)[n], '\0');
			cr_assert_eq(strings_find(s, text, n), large);
			strings_free(s);
		}
}

Test(strings, order_is_bytewise)
{
	struct strings *s = strings_new();
	uint32_t a = strings_add(s, "a", 1), ab = strings_add(s, "ab", 2),
		 high = strings_add(s, "\xff", 1), none = strings_add(s, "", 0),
		 nul = strings_add(s, "a\0", 2);

	cr_assert_lt(strings_compare(s, a, ab), 0);
	cr_assert_gt(strings_compare(s, ab, a), 0);
	cr_assert_lt(strings_compare(s, ab, high), 0, "bytes are unsigned");
	cr_assert_lt(strings_compare(s, none, a), 0);
	cr_assert_lt(strings_compare(s, a, nul), 0);
	cr_assert_lt(strings_compare(s, nul, ab), 0);
	cr_assert_eq(strings_compare(s, ab, ab), 0);
	strings_free(s);
}

Test(id_table, places_without_gaps)
{
	struct id_table *s = id_table_new();

	cr_assert_eq(id_table_find(s, 0), ID_TABLE_NONE);
	for (uint32_t i = 0; i < 50000; i++)
		cr_assert_eq(id_table_add(s, i * 2654435761u), i);
	cr_assert_eq(id_table_add(s, UINT32_MAX), 50000);
	for (uint32_t i = 0; i < 50000; i++) {
		cr_assert_eq(id_table_add(s, i * 2654435761u), i);
		cr_assert_eq(id_table_find(s, i * 2654435761u), i);
		cr_assert_eq(id_table_get(s, i), i * 2654435761u);
	}
	cr_assert_eq(id_table_find(s, 1), ID_TABLE_NONE);
	cr_assert_eq(id_table_count(s), 50001);
	id_table_free(s);
}

/* ---- fingerprint ----------------------------------------------------------------------------- */
/* Fingerprints: their numbers, and sums of them. */

Test(fingerprint, are_numbered_in_order_of_arrival)
{
	struct fingerprint_secret secret = fingerprint_secret();
	struct fingerprint_table t = {0};
	uint32_t i;

	for (i = 0; i < 100000; i++)
		cr_assert_eq(fingerprint_table_number(&t, fingerprint_of(&secret, i / 7, i % 7)),
			     i);
	for (i = 0; i < 100000; i++)
		cr_assert_eq(fingerprint_table_number(&t, fingerprint_of(&secret, i / 7, i % 7)),
			     i);
	cr_assert_eq(t.count, 100000);
	fingerprint_table_clear(&t);
	cr_assert_eq(t.count, 0);
	cr_assert_eq(fingerprint_table_number(&t, fingerprint_of(&secret, 1, 2)), 0);
	fingerprint_table_clear(&t);
}

/* Half of a fingerprint is not enough to be taken for another one. */
Test(fingerprint, both_halves_count)
{
	struct fingerprint_table t = {0};

	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){1, 1}), 0);
	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){2, 1}), 1);
	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){1, 2}), 2);
	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){1, 1}), 0);
	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){257, UINT64_C(0x100000001)}),
		     3);
	cr_assert_eq(fingerprint_table_number(&t, (struct fingerprint){1, UINT64_C(0x100000001)}),
		     4);
	fingerprint_table_clear(&t);
}

/* Sets of pairs that have all numbers in common, but not the pairs, differ. */
Test(fingerprint, sums_of_sets)
{
	struct fingerprint_secret s = fingerprint_secret();
	struct fingerprint a = fingerprint_plus(fingerprint_of(&s, 1, 2), fingerprint_of(&s, 3, 4));
	struct fingerprint b = fingerprint_plus(fingerprint_of(&s, 1, 4), fingerprint_of(&s, 3, 2));
	struct fingerprint c = fingerprint_plus(fingerprint_of(&s, 3, 4), fingerprint_of(&s, 1, 2));

	cr_assert(a.a != b.a && a.b != b.b);
	cr_assert(a.a == c.a && a.b == c.b);
	a = fingerprint_minus(a, fingerprint_of(&s, 3, 4));
	b = fingerprint_of(&s, 1, 2);
	cr_assert(a.a == b.a && a.b == b.b);
}
