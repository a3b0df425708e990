/* SPDX-License-Identifier: MIT */
/*
 * range_least.c - finds the least element of a range of an array.
 *
 * In: an array that does not change. Out: places in it.
 */
#include "base/range_least.h"

#include <stdlib.h>

#define BLOCK 32u

static uint32_t lesser(const struct range_least *r, uint32_t a, uint32_t b)
{
	return r->array[b] < r->array[a] ? b : a;
}

static uint32_t scan(const struct range_least *r, uint32_t from, uint32_t end)
{
	uint32_t least = from;

	for (; from < end; from++)
		least = lesser(r, least, from);
	return least;
}

static unsigned log2_of(size_t n)
{
	return (unsigned)(63 - __builtin_clzll((unsigned long long)n));
}

int range_least_begin(struct range_least *r, const uint32_t *array, size_t n)
{
	size_t i, width;
	unsigned row;

	*r = (struct range_least){.array = array, .n_blocks = n / BLOCK};
	if (!r->n_blocks)
		return 0;
	r->table = calloc(r->n_blocks * (log2_of(r->n_blocks) + 1), sizeof(*r->table));
	if (!r->table)
		return -1;
	for (i = 0; i < r->n_blocks; i++)
		r->table[i] = scan(r, (uint32_t)i * BLOCK, (uint32_t)(i + 1) * BLOCK);
	for (row = 1, width = 2; width <= r->n_blocks; row++, width *= 2) {
		const uint32_t *half = r->table + (row - 1) * r->n_blocks;

		for (i = 0; i + width <= r->n_blocks; i++)
			r->table[row * r->n_blocks + i] = lesser(r, half[i], half[i + width / 2]);
	}
	return 0;
}

void range_least_free(struct range_least *r)
{
	free(r->table);
	*r = (struct range_least){0};
}

uint32_t range_least_find(const struct range_least *r, uint32_t from, uint32_t end)
{
	uint32_t first = (from + BLOCK - 1) / BLOCK, last = end / BLOCK; /* whole blocks */
	const uint32_t *row;
	uint32_t least;
	unsigned level;

	if (first >= last)
		return scan(r, from, end);
	level = log2_of(last - first);
	row = r->table + level * r->n_blocks;
	least = lesser(r, row[first], row[last - (UINT32_C(1) << level)]);
	if (from < first * BLOCK)
		least = lesser(r, scan(r, from, first * BLOCK), least);
	return end > last * BLOCK ? lesser(r, least, scan(r, last * BLOCK, end)) : least;
}
