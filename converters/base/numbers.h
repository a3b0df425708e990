/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers in order: renumbered, kept as sets, the least of a range.
 */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* ---- id table -------------------------------------------------------------------------------- */
/*
 * Renumbers the numbers of a file 0, 1, 2, ... in order of arrival.
 *
 * In: numbers of any size. Out: numbers 0, 1, 2, ..., which are called places.
 *
 * A file may use large numbers; places can be indices of an array.
 */

#define ID_TABLE_NONE UINT32_MAX

struct id_table;

struct id_table *id_table_new(void); /* NULL: out of memory */
void id_table_free(struct id_table *s);

/* Returns the place of the number, which is added if it is new; ID_TABLE_NONE if memory is out. */
uint32_t id_table_add(struct id_table *s, uint32_t number);
/* Returns the place of the number, or ID_TABLE_NONE if it has none. */
uint32_t id_table_find(const struct id_table *s, uint32_t number);

uint32_t id_table_get(const struct id_table *s, uint32_t place);
size_t id_table_count(const struct id_table *s);

/* ---- number set ------------------------------------------------------------------------------ */
/*
 * A set of numbers below a limit, that finds the neighbours of a number.
 *
 * In: numbers, one after the other. Out: the nearest numbers in the set.
 *
 * The set is a tree of bits, 64 to a word: a bit of an upper level says whether a word below it has
 * any. Each operation takes as many steps as there are levels, which are six at most.
 */

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

/* ---- range least ----------------------------------------------------------------------------- */
/*
 * Finds the least element of a range of an array.
 *
 * In: an array that does not change. Out: places in it.
 *
 * The array is cut into blocks. For each power of two there is a table of the least elements of so
 * many blocks (Bender and Farach-Colton, The LCA problem revisited, 2000, section 3: sparse
 * tables), so a range takes a look at two ranges of blocks and at the elements on both sides of
 * them.
 */

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
