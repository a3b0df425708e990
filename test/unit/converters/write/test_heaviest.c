/* SPDX-License-Identifier: MIT */
/* test_heaviest.c - which rows are among the N heaviest. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "write/heaviest.h"

enum { ROWS = 60 };

/* How many rows are before this one when they are sorted by weight, those of the same weight as they
 * stand. */
static uint64_t rank(const uint64_t *weights, int n, int row)
{
	uint64_t before = 0;
	int i;

	for (i = 0; i < n; i++)
		before += weights[i] > weights[row] || (weights[i] == weights[row] && i < row);
	return before;
}

Test(heaviest, takes_the_heaviest)
{
	int round, i;

	srand(5);
	for (round = 0; round < 3000; round++) {
		uint64_t weights[ROWS];
		int n = rand() % ROWS, values = 1 + rand() % 20;
		struct heaviest t = {.n = (uint64_t)rand() % (ROWS + 5)};
		uint64_t limit = t.n;

		for (i = 0; i < n; i++) {
			weights[i] = (uint64_t)(rand() % values) << (rand() % 2 * 60);
			cr_assert_eq(heaviest_add(&t, weights[i]), 0);
			if (limit && heaviest_is_passed(&t, weights[i]))
				cr_assert_geq(rank(weights, i + 1, i) + 1, limit);
		}
		heaviest_close(&t);
		for (i = 0; i < n; i++)
			cr_assert_eq(heaviest_take(&t, weights[i]),
				     limit == 0 || rank(weights, n, i) < limit);
		heaviest_free(&t);
	}
}

/* A row that is passed over need not be added. */
Test(heaviest, what_is_passed_changes_nothing)
{
	struct heaviest t = {.n = 2};

	cr_assert_eq(heaviest_add(&t, 5) || heaviest_add(&t, 7), 0);
	cr_assert(heaviest_is_passed(&t, 5));
	cr_assert_not(heaviest_is_passed(&t, 6));
	cr_assert_eq(heaviest_add(&t, 5), 0);
	heaviest_close(&t);
	cr_assert(heaviest_take(&t, 5) && heaviest_take(&t, 7));
	cr_assert_not(heaviest_take(&t, 5), "the first one of two");
	heaviest_free(&t);
}
