/* SPDX-License-Identifier: MIT */
/*
 * test_strings.c - distinct strings and numbers keep their number and their place.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/numbers.h"

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
