/* SPDX-License-Identifier: MIT */
/* test_graphs.c - preorder numbers of trees. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/graphs.h"

/* Siblings by their numbers, the greatest first. */
static int descending(const void *a, const void *b, void *context)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	(void)context;
	return (x < y) - (x > y);
}

static uint32_t *places_of(const uint32_t *parents, size_t n)
{
	struct preorder_tree tree = {n, parents, descending, NULL};
	struct error err;
	uint32_t *place = preorder_places(&tree, &err);

	cr_assert_not_null(place);
	return place;
}

/*      0
 *    1   2
 *   3 5  4
 */
Test(preorder, small_tree)
{
	const uint32_t parents[] = {0, 0, 0, 1, 2, 1};
	const uint32_t wanted[] = {0, 3, 1, 5, 2, 4};
	uint32_t *place = places_of(parents, 6);

	cr_assert_arr_eq(place, wanted, sizeof(wanted));
	free(place);
}

Test(preorder, root_alone)
{
	const uint32_t parent = 77; /* of the root: not looked at */
	uint32_t *place = places_of(&parent, 1);

	cr_assert_eq(place[0], 0);
	free(place);
}

/* Whatever the tree, subtrees are ranges, places a permutation, siblings sorted. */
Test(preorder, random_trees)
{
	enum { N = 500 };
	uint32_t parents[N], at[N], size[N], *place, i, round;

	srand(4);
	for (round = 0; round < 50; round++) {
		parents[0] = 0;
		for (i = 1; i < N; i++)
			parents[i] = (uint32_t)rand() % i;
		place = places_of(parents, N);
		for (i = 0; i < N; i++) {
			at[place[i]] = i;
			size[i] = 1;
		}
		for (i = N; i-- > 1;)
			size[parents[i]] += size[i];
		for (i = 1; i < N; i++) {
			uint32_t p = parents[i], before = at[place[i] - 1];

			cr_assert_eq(at[place[i]], i);
			cr_assert(place[i] > place[p]);
			cr_assert(place[i] + size[i] <= place[p] + size[p]);
			if (before == p)
				continue;
			while (parents[before] != p)
				before = parents[before];
			cr_assert(before > i, "siblings %u, %u", before, i);
		}
		free(place);
	}
}
