/* SPDX-License-Identifier: MIT */
/*
 * test_pair_table.c - pairs keep their numbers, whatever comes between.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/hash.h"

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
