/* SPDX-License-Identifier: MIT */
/*
 * by_start.h - sorts what begins with an address.
 */
#ifndef BY_START_H
#define BY_START_H

#include <stddef.h>

/*
 * Sort n elements of `size` bytes, each of which begins with a uint64_t, as qsort_r does by a
 * comparison that looks at this number first. 0 or -ENOMEM.
 */
int by_start(void *elements, size_t size, size_t n,
	     int (*compare)(const void *, const void *, void *), void *context);

#endif
