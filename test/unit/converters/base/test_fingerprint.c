/* SPDX-License-Identifier: MIT */
/* test_fingerprint.c - fingerprints: their numbers, and sums of them. */
#include <criterion/criterion.h>

#include "base/hash.h"

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
