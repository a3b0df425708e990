/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - numbers in order: renumbered, kept as sets, the least of a range.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/numbers.h"

/* ---- id table -------------------------------------------------------------------------------- */

struct id_table {
	struct hash_secret secret;
	uint32_t *list; /* the numbers by place */
	size_t n, size;
	struct index places;
};

struct id_table *id_table_new(void)
{
	struct id_table *s = calloc(1, sizeof(*s));

	if (s)
		s->secret = hash_secret();
	return s;
}

void id_table_free(struct id_table *s)
{
	if (!s)
		return;
	free(s->list);
	index_clear(&s->places);
	free(s);
}

uint32_t id_table_add(struct id_table *s, uint32_t number)
{
	uint64_t tag = hash_distinct(&s->secret, number);
	struct index_slot *slot;

	if (index_reserve(&s->places, 1))
		return ID_TABLE_NONE;
	slot = index_tag_slot(&s->places, tag);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (s->n >= ID_TABLE_NONE - 1 ||
	    !array_reserve(&s->list, &s->size, s->n + 1, sizeof(*s->list)))
		return ID_TABLE_NONE;
	s->list[s->n] = number;
	index_fill(&s->places, slot, tag, (uint32_t)s->n);
	return (uint32_t)s->n++;
}

uint32_t id_table_find(const struct id_table *s, uint32_t number)
{
	return index_tag_find(&s->places, hash_distinct(&s->secret, number));
}

uint32_t id_table_get(const struct id_table *s, uint32_t place)
{
	return s->list[place];
}

size_t id_table_count(const struct id_table *s)
{
	return s->n;
}

/* ---- number set ------------------------------------------------------------------------------ */

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

/* ---- range least ----------------------------------------------------------------------------- */

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
