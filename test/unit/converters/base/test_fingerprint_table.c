/* SPDX-License-Identifier: MIT */
/* test_prints.c - fingerprints: their numbers, and sums of them. */
#include <criterion/criterion.h>

#include "base/fingerprint_table.h"

Test(prints, are_numbered_in_order_of_arrival)
{
	struct print_secret secret = print_secret();
	struct prints t = {0};
	uint32_t i;

	for (i = 0; i < 100000; i++)
		cr_assert_eq(prints_number(&t, print_of(&secret, i / 7, i % 7)), i);
	for (i = 0; i < 100000; i++)
		cr_assert_eq(prints_number(&t, print_of(&secret, i / 7, i % 7)), i);
	cr_assert_eq(t.count, 100000);
	prints_clear(&t);
	cr_assert_eq(t.count, 0);
	cr_assert_eq(prints_number(&t, print_of(&secret, 1, 2)), 0);
	prints_clear(&t);
}

/* Half of a fingerprint is not enough to be taken for another one. */
Test(prints, both_halves_count)
{
	struct prints t = {0};

	cr_assert_eq(prints_number(&t, (struct print){1, 1}), 0);
	cr_assert_eq(prints_number(&t, (struct print){2, 1}), 1);
	cr_assert_eq(prints_number(&t, (struct print){1, 2}), 2);
	cr_assert_eq(prints_number(&t, (struct print){1, 1}), 0);
	cr_assert_eq(prints_number(&t, (struct print){257, UINT64_C(0x100000001)}), 3);
	cr_assert_eq(prints_number(&t, (struct print){1, UINT64_C(0x100000001)}), 4);
	prints_clear(&t);
}

/* Sets of pairs that have all numbers in common, but not the pairs, differ. */
Test(prints, sums_of_sets)
{
	struct print_secret s = print_secret();
	struct print a = print_plus(print_of(&s, 1, 2), print_of(&s, 3, 4));
	struct print b = print_plus(print_of(&s, 1, 4), print_of(&s, 3, 2));
	struct print c = print_plus(print_of(&s, 3, 4), print_of(&s, 1, 2));

	cr_assert(a.a != b.a && a.b != b.b);
	cr_assert(a.a == c.a && a.b == c.b);
	a = print_minus(a, print_of(&s, 3, 4));
	b = print_of(&s, 1, 2);
	cr_assert(a.a == b.a && a.b == b.b);
}
