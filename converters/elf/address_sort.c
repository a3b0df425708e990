/* SPDX-License-Identifier: MIT */
/*
 * address_sort.c - sorts symbols and ranges by their first address.
 *
 * In: elements that begin with an address. Out: the same elements in order.
 *
 * Nearly all of a compiler's 45,000 functions begin at different addresses. A radix sort of the
 * addresses is faster than a sort by comparison, and the comparison is needed only for elements
 * with equal addresses.
 */
#include "elf/address_sort.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Fewer elements than this are sorted by comparison alone. */
#define FEW 128u

struct key {
	uint64_t start;
	size_t element;
};

static uint64_t start_of(const unsigned char *element)
{
	uint64_t start;

	memcpy(&start, element, sizeof(start));
	return start;
}

/* Fills the keys. Returns the bits in which they differ, or 0 if the keys are already in order. */
static uint64_t list_keys(struct key *keys, const unsigned char *elements, size_t size, size_t n)
{
	uint64_t differing = 0;
	int in_order = 1;

	for (size_t i = 0; i < n; i++) {
		keys[i] = (struct key){start_of(elements + i * size), i};
		differing |= keys[i].start ^ keys[0].start;
		in_order &= i == 0 || keys[i - 1].start <= keys[i].start;
	}
	return in_order ? 0 : differing;
}

/* Distributes the keys by one of their bytes; keys with the same byte keep their order. */
static void distribute(struct key *to, const struct key *from, size_t n, unsigned shift)
{
	size_t places[257] = {0};

	for (size_t i = 0; i < n; i++)
		places[(from[i].start >> shift & 0xff) + 1]++;
	for (size_t i = 1; i < 257; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < n; i++)
		to[places[from[i].start >> shift & 0xff]++] = from[i];
}

/* Distributes the keys by each byte, from the lowest to the highest. Returns the one of the two
 * arrays that has the keys in order. */
static struct key *sort_keys(struct key *keys, struct key *others, size_t n, uint64_t differing)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		struct key *swap = keys;

		if (!(differing >> shift & 0xff))
			continue;
		distribute(others, keys, n, shift);
		keys = others;
		others = swap;
	}
	return keys;
}

static int order_starts(unsigned char *elements, size_t size, size_t n)
{
	struct key *keys = reallocarray(NULL, n, 2 * sizeof(*keys)), *sorted;
	unsigned char *copy = reallocarray(NULL, n, size);
	uint64_t differing = keys && copy ? list_keys(keys, elements, size, n) : 0;

	if (differing) {
		sorted = sort_keys(keys, keys + n, n, differing);
		memcpy(copy, elements, n * size);
		for (size_t i = 0; i < n; i++)
			memcpy(elements + i * size, copy + sorted[i].element * size, size);
	}
	free(copy);
	free(keys);
	return keys && copy ? 0 : -ENOMEM;
}

int address_sort(void *elements, size_t size, size_t n,
		 int (*compare)(const void *, const void *, void *), void *context)
{
	unsigned char *e = elements;
	size_t end;

	if (n < FEW) {
		if (n > 1)
			qsort_r(e, n, size, compare, context);
		return 0;
	}
	if (order_starts(e, size, n))
		return -ENOMEM;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && start_of(e + end * size) == start_of(e + i * size);)
			end++;
		if (end - i > 1)
			qsort_r(e + i * size, end - i, size, compare, context);
	}
	return 0;
}
