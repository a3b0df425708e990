/* SPDX-License-Identifier: MIT */
/* test_address_ranges.c - of ranges that nest, overlap and repeat, each address has the one that is meant. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "elf/symbol_table.h"

struct range {
	uint64_t start, end;
	unsigned worth; /* of equal ranges the highest is meant */
};

static int compare(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->worth > b->worth) - (a->worth < b->worth);
}

/* The last one that covers the address, by looking at all. */
static uint32_t meant(const struct range *ranges, uint32_t n, uint64_t address)
{
	for (uint32_t i = n; i-- > 0;)
		if (ranges[i].start <= address && address < ranges[i].end)
			return i;
	return ADDRESS_RANGES_NONE;
}

static void check(struct range *ranges, uint32_t n, uint64_t from, uint64_t to)
{
	struct address_ranges p;

	qsort(ranges, n, sizeof(*ranges), compare);
	cr_assert_eq(address_ranges_cut(&p, ranges, sizeof(*ranges), n), 0);
	for (uint64_t a = from; a != to; a++)
		cr_assert_eq(address_ranges_find(&p, a), meant(ranges, n, a), "at %lu of %u ranges",
			     (unsigned long)a, n);
	address_ranges_clear(&p);
	cr_assert_eq(address_ranges_find(&p, from), ADDRESS_RANGES_NONE);
}

/* So many that they are found by stretches of addresses, which may be next to empty, or whole. */
Test(address_ranges, many_ranges_however_far_apart)
{
	struct range ranges[300];
	struct address_ranges p;

	srand(18);
	for (int round = 0; round < 200; round++) {
		uint32_t n = 100 + (uint32_t)rand() % 200;
		unsigned bits = 1 + (unsigned)rand() % 63;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t some = ((uint64_t)rand() << 33 ^ (uint64_t)rand() << 5) >> bits;

			ranges[i].start = i % 4 ? 5000 + some : 1 + (uint64_t)rand() % 10000;
			ranges[i].end = ranges[i].start + 1 + (uint64_t)rand() % 1000;
			ranges[i].worth = 0;
		}
		qsort(ranges, n, sizeof(*ranges), compare);
		cr_assert_eq(address_ranges_cut(&p, ranges, sizeof(*ranges), n), 0);
		for (uint32_t i = 0; i < 4 * n; i++) {
			uint64_t edge = i % 2 ? ranges[i / 4].start : ranges[i / 4].end;
			uint64_t a = edge + (uint64_t)(i % 3) - 1;

			cr_assert_eq(address_ranges_find(&p, a), meant(ranges, n, a));
		}
		cr_assert_eq(address_ranges_find(&p, 0), ADDRESS_RANGES_NONE);
		cr_assert_eq(address_ranges_find(&p, UINT64_MAX), ADDRESS_RANGES_NONE);
		address_ranges_clear(&p);
	}
}

Test(address_ranges, random_ranges)
{
	struct range ranges[24];

	srand(17);
	for (int round = 0; round < 3000; round++) {
		uint32_t n = (uint32_t)rand() % 24;

		for (uint32_t i = 0; i < n; i++) {
			ranges[i].start = 100 + (uint64_t)rand() % 40;
			ranges[i].end = ranges[i].start + 1 + (uint64_t)rand() % 20;
			ranges[i].worth = (unsigned)rand() % 3;
		}
		check(ranges, n, 90, 170);
	}
}

Test(address_ranges, ends_of_the_address_space)
{
	struct range ranges[] = {
		{0, UINT64_MAX, 0}, {UINT64_MAX - 5, UINT64_MAX, 0}, {0, 3, 0}, {1, 2, 0}};

	check(ranges, 4, UINT64_MAX - 9, UINT64_MAX);
	check(ranges, 4, 0, 10);
}

Test(address_ranges, none)
{
	struct address_ranges p;

	cr_assert_eq(address_ranges_cut(&p, NULL, 16, 0), 0);
	cr_assert_eq(address_ranges_find(&p, 0), ADDRESS_RANGES_NONE);
	cr_assert_eq(address_ranges_find(&p, UINT64_MAX), ADDRESS_RANGES_NONE);
	address_ranges_clear(&p);
}
