/* SPDX-License-Identifier: MIT */
/*
 * number_set.h - a set of numbers below a limit, that finds the neighbours of a number.
 *
 * In: numbers, one after the other. Out: the nearest numbers in the set.
 *
 * The set is a tree of bits, 64 to a word: a bit of an upper level says whether a word below it has
 * any. Each operation takes as many steps as there are levels, which are six at most.
 */
#ifndef NUMBER_SET_H
#define NUMBER_SET_H

#include <stdint.h>

#define NUMBER_SET_NONE	  UINT32_MAX
#define NUMBER_SET_LEVELS 6

struct number_set {
	uint64_t *levels[NUMBER_SET_LEVELS]; /* the lowest one first; all in one block of memory */
	unsigned n_levels;
};

/* Begin with no number; numbers will be less than `limit`. -1: memory. number_set_free in any
 * case. */
int number_set_begin(struct number_set *s, uint32_t limit);
void number_set_free(struct number_set *s);

void number_set_add(struct number_set *s, uint32_t number);
void number_set_remove(struct number_set *s, uint32_t number);

/* The largest number of the set that is less than this one, and the least that is greater;
 * NUMBER_SET_NONE if there is none. */
uint32_t number_set_below(const struct number_set *s, uint32_t number);
uint32_t number_set_above(const struct number_set *s, uint32_t number);

#endif
