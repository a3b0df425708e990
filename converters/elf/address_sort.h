/* SPDX-License-Identifier: MIT */
/*
 * address_sort.h - sorts what begins with an address.
 */
#ifndef ADDRESS_SORT_H
#define ADDRESS_SORT_H

#include <stddef.h>

/*
 * Sort n elements of `size` bytes, each of which begins with a uint64_t, as qsort_r does by a
 * comparison that looks at this number first. 0 or -ENOMEM.
 */
int address_sort(void *elements, size_t size, size_t n,
		 int (*compare)(const void *, const void *, void *), void *context);

#endif
