/* SPDX-License-Identifier: MIT */
/* test_address_sort.c - elements that begin with an address come into the order of a comparison. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/symbol_table.h"
#include "scarce_memory.h"

#define MOST 3000u

struct element {
	uint64_t start;
	unsigned second, third;
};

static int compare(const void *left, const void *right, void *context)
{
	const struct element *a = left, *b = right;

	(*(size_t *)context)++;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return (a->third > b->third) - (a->third < b->third);
}

/* As many as that, of which so many bits differ. Returns how often two were compared. */
static size_t check(size_t n, unsigned low, unsigned bits)
{
	static struct element elements[MOST], expected[MOST];
	size_t calls = 0, unused = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t some = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();

		some = bits ? some >> (64 - bits) << low : 0;
		elements[i] = (struct element){UINT64_C(0x400000) ^ some, (unsigned)rand() % 4,
					       (unsigned)i};
	}
	memcpy(expected, elements, sizeof(elements));
	qsort_r(expected, n, sizeof(*expected), compare, &unused);
	cr_assert_eq(address_sort(elements, sizeof(*elements), n, compare, &calls), 0);
	cr_assert(!memcmp(elements, expected, n * sizeof(*elements)), "%zu elements of %u bits", n,
		  bits);
	return calls;
}

Test(address_sort, any_number_of_any_bits)
{
	static const size_t sizes[] = {0, 1, 2, 5, 127, 128, 129, 1000, MOST};

	srand(5);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (unsigned bits = 0; bits <= 64; bits++)
			check(sizes[i], bits < 40 ? (unsigned)rand() % (64 - bits) : 0, bits);
}

Test(address_sort, what_differs_is_not_compared)
{
	srand(6);
	cr_assert_lt(check(MOST, 0, 64), 10);
}

Test(address_sort, what_is_in_order_stays)
{
	uint64_t elements[MOST];
	size_t calls = 0;

	for (size_t i = 0; i < MOST; i++)
		elements[i] = i << 20;
	cr_assert_eq(address_sort(elements, sizeof(*elements), MOST, compare, &calls), 0);
	for (size_t i = 0; i < MOST; i++)
		cr_assert_eq(elements[i], i << 20);
	cr_assert_eq(calls, 0);
}

/* Whichever allocation fails, either that is said, or the elements are in order. */
Test(address_sort, scarce_memory_is_an_error)
{
	bool has_failed = MEMORY_CAN_BE_SCARCE;
	uint64_t elements[MOST];
	size_t calls = 0;

	for (size_t k = 0; has_failed; k++) {
		int rc;

		for (size_t i = 0; i < MOST; i++)
			elements[i] = (MOST - i) << 20;
		scarce_begin(k);
		rc = address_sort(elements, sizeof(*elements), MOST, compare, &calls);
		has_failed = scarce_end();
		cr_assert_eq(rc != 0, has_failed);
		cr_assert_eq(memory.held, 0);
		for (size_t i = 1; rc == 0 && i < MOST; i++)
			cr_assert_lt(elements[i - 1], elements[i]);
	}
}
