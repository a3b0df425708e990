/* SPDX-License-Identifier: MIT */
/*
 * array.h - growing arrays, in which adding an element has a constant amortised cost.
 *
 * In: an array and the room that it needs. Out: the array with that room.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make room for `needed` elements of `element` bytes in the array *pointer (a pointer to the
 * array's pointer), which has room for *size elements. Returns false if memory is out; the array is
 * then unchanged.
 */
static inline bool array_reserve(void *pointer, size_t *size, size_t needed, size_t element)
{
	void *array;
	size_t larger = *size < 8 ? 8 : *size;

	if (needed <= *size)
		return true;
	while (larger < needed)
		if (__builtin_mul_overflow(larger, 2, &larger))
			return false;
	memcpy(&array, pointer, sizeof(array)); /* `pointer` may point to any type of pointer */
	array = reallocarray(array, larger, element);
	if (!array)
		return false;
	memcpy(pointer, &array, sizeof(array));
	*size = larger;
	return true;
}

#endif
