/* SPDX-License-Identifier: MIT */
/*
 * address_sort.h - sorts elements that begin with an address.
 *
 * In: an array. Out: the same array in order.
 */
#ifndef ADDRESS_SORT_H
#define ADDRESS_SORT_H

#include <stddef.h>

/*
 * Sort n elements of `size` bytes, each of which begins with a uint64_t. The result is the same as
 * that of qsort_r with `compare`, which must compare this number first. Returns 0 or -ENOMEM.
 */
int address_sort(void *elements, size_t size, size_t n,
		 int (*compare)(const void *, const void *, void *), void *context);

#endif
