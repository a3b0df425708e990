/* SPDX-License-Identifier: MIT */
/*
 * number_set.c - keeps a set of numbers as a tree of bits.
 *
 * In: numbers, one after the other. Out: the nearest numbers in the set.
 */
#include "base/number_set.h"

#include <stdlib.h>

#define BITS 64

int number_set_begin(struct number_set *s, uint32_t limit)
{
	size_t words = 0, at = 0, n = limit;
	size_t sizes[NUMBER_SET_LEVELS];

	*s = (struct number_set){0};
	do {
		n = n / BITS + 1;
		sizes[s->n_levels++] = n;
		words += n;
	} while (n > 1);
	s->levels[0] = calloc(words, sizeof(*s->levels[0]));
	if (!s->levels[0])
		return -1;
	for (unsigned i = 0; i < s->n_levels; at += sizes[i++])
		s->levels[i] = s->levels[0] + at;
	return 0;
}

void number_set_free(struct number_set *s)
{
	free(s->levels[0]);
	*s = (struct number_set){0};
}

void number_set_add(struct number_set *s, uint32_t number)
{
	for (unsigned i = 0; i < s->n_levels; i++, number /= BITS)
		s->levels[i][number / BITS] |= UINT64_C(1) << number % BITS;
}

void number_set_remove(struct number_set *s, uint32_t number)
{
	for (unsigned i = 0; i < s->n_levels; i++, number /= BITS) {
		s->levels[i][number / BITS] &= ~(UINT64_C(1) << number % BITS);
		if (s->levels[i][number / BITS])
			break;
	}
}

/* The first level whose word has a bit on the wanted side tells where to descend. */
uint32_t number_set_below(const struct number_set *s, uint32_t number)
{
	for (unsigned i = 0; i < s->n_levels; i++, number /= BITS) {
		uint64_t word = s->levels[i][number / BITS] & ((UINT64_C(1) << number % BITS) - 1);

		if (!word)
			continue;
		number = number / BITS * BITS + BITS - 1 - (uint32_t)__builtin_clzll(word);
		while (i-- > 0)
			number = number * BITS + BITS - 1 -
				 (uint32_t)__builtin_clzll(s->levels[i][number]);
		return number;
	}
	return NUMBER_SET_NONE;
}

uint32_t number_set_above(const struct number_set *s, uint32_t number)
{
	for (unsigned i = 0; i < s->n_levels; i++, number /= BITS) {
		/* Two shifts, because one by 64 bits is none. */
		uint64_t word = s->levels[i][number / BITS] >> number % BITS >> 1 << number % BITS
										  << 1;

		if (!word)
			continue;
		number = number / BITS * BITS + (uint32_t)__builtin_ctzll(word);
		while (i-- > 0)
			number = number * BITS + (uint32_t)__builtin_ctzll(s->levels[i][number]);
		return number;
	}
	return NUMBER_SET_NONE;
}
