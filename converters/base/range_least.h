/* SPDX-License-Identifier: MIT */
/*
 * range_least.h - finds the least element of a range of an array.
 *
 * In: an array that does not change. Out: places in it.
 *
 * The array is cut into blocks. For each power of two there is a table of the least elements of so
 * many blocks (Bender and Farach-Colton, The LCA problem revisited, 2000, section 3: sparse
 * tables), so a range takes a look at two ranges of blocks and at the elements on both sides of
 * them.
 */
#ifndef RANGE_LEAST_H
#define RANGE_LEAST_H

#include <stddef.h>
#include <stdint.h>

struct range_least {
	const uint32_t *array; /* borrowed */
	uint32_t *table;       /* row by row: places in the array */
	size_t n_blocks;
};

/* Prepare for ranges of the n elements. -1: memory. range_least_free in any case. */
int range_least_begin(struct range_least *r, const uint32_t *array, size_t n);
void range_least_free(struct range_least *r);

/* A place of the least element of array[from .. end - 1], which is not empty. */
uint32_t range_least_find(const struct range_least *r, uint32_t from, uint32_t end);

#endif
