/* SPDX-License-Identifier: MIT */
/* test_order.c - preorder numbers of trees, and numbers of pairs. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "order.h"
#include "pairs.h"

/* Siblings by their numbers, the greatest first. */
static int descending(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	(void)context;
	return (x < y) - (x > y);
}

static struct order order_of(const uint32_t *parents, size_t n)
{
	struct order_tree tree = {n, parents, sizeof(*parents), descending, NULL};
	struct order order;
	struct error err;

	cr_assert_eq(order_preorder(&tree, &order, &err), 0);
	return order;
}

/*      0
 *    1   2
 *   3 5  4
 */
Test(order, small_tree)
{
	const uint32_t parents[] = {0, 0, 0, 1, 2, 1};
	const uint32_t place[] = {0, 3, 1, 5, 2, 4}, size[] = {6, 3, 2, 1, 1, 1};
	struct order order = order_of(parents, 6);

	cr_assert_arr_eq(order.place, place, sizeof(place));
	cr_assert_arr_eq(order.size, size, sizeof(size));
	order_free(&order);
}

Test(order, root_alone)
{
	const uint32_t parent = 77; /* of the root: not looked at */
	struct order order = order_of(&parent, 1);

	cr_assert_eq(order.place[0], 0);
	cr_assert_eq(order.size[0], 1);
	order_free(&order);
}

/* Whatever the tree, subtrees are ranges, places a permutation, siblings sorted. */
Test(order, random_trees)
{
	enum { N = 500 };
	uint32_t parents[N], at[N], i, round;

	srand(4);
	for (round = 0; round < 50; round++) {
		struct order order;

		parents[0] = 0;
		for (i = 1; i < N; i++)
			parents[i] = (uint32_t)rand() % i;
		order = order_of(parents, N);
		for (i = 0; i < N; i++)
			at[order.place[i]] = i;
		for (i = 1; i < N; i++) {
			uint32_t p = parents[i], before = at[order.place[i] - 1];

			cr_assert_eq(at[order.place[i]], i);
			cr_assert(order.place[i] > order.place[p]);
			cr_assert(order.place[i] + order.size[i] <= order.place[p] + order.size[p]);
			if (before == p)
				continue;
			while (parents[before] != p)
				before = parents[before];
			cr_assert(before > i, "siblings %u, %u", before, i);
		}
		order_free(&order);
	}
}

Test(pairs, numbers_in_order_of_arrival)
{
	struct pairs t = {0};
	uint32_t i;

	for (i = 0; i < 100000; i++)
		cr_assert_eq(pairs_number(&t, i % 317, i / 317), i);
	for (i = 0; i < 100000; i++)
		cr_assert_eq(pairs_number(&t, i % 317, i / 317), i);
	cr_assert_eq(pairs_number(&t, 316, 316), 100000, "(a, b) is not (b, a)");
	cr_assert_eq(t.count, 100001);
	pairs_clear(&t);
	cr_assert_eq(pairs_number(&t, 5, 5), 0, "empty after pairs_clear");
	pairs_clear(&t);
}
