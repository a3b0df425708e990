/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - renumbers the numbers of a file in order of arrival.
 *
 * Room: model. In: numbers, any. Out: places without gaps.
 */
#include "base/id_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

struct numbers {
	struct hash_secret secret;
	uint32_t *list;
	size_t n, size;
	uint32_t *slots; /* place + 1, 0: free; a power of two of them */
	size_t n_slots;
};

struct numbers *numbers_new(void)
{
	struct numbers *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->secret = hash_secret();
	s->n_slots = 16;
	s->slots = calloc(s->n_slots, sizeof(*s->slots));
	if (!s->slots) {
		free(s);
		return NULL;
	}
	return s;
}

void numbers_free(struct numbers *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->slots);
	free(s);
}

static size_t numbers_slot(const struct numbers *s, uint32_t number)
{
	size_t mask = s->n_slots - 1;
	size_t i = hash_pair(&s->secret, number, 0) & mask;

	while (s->slots[i] && s->list[s->slots[i] - 1] != number)
		i = (i + 1) & mask;
	return i;
}

static int numbers_rehash(struct numbers *s)
{
	uint32_t *old = s->slots;
	uint32_t *slots = calloc(s->n_slots * 2, sizeof(*slots));

	if (!slots)
		return -1;
	s->slots = slots;
	s->n_slots *= 2;
	for (size_t i = 0; i < s->n; i++)
		s->slots[numbers_slot(s, s->list[i])] = (uint32_t)i + 1;
	free(old);
	return 0;
}

uint32_t numbers_add(struct numbers *s, uint32_t number)
{
	size_t slot = numbers_slot(s, number);

	if (s->slots[slot])
		return s->slots[slot] - 1;
	if (s->n >= NUMBERS_NONE - 1)
		return NUMBERS_NONE;
	if (s->n >= s->n_slots / 2) {
		if (numbers_rehash(s))
			return NUMBERS_NONE;
		slot = numbers_slot(s, number);
	}
	if (!array_reserve(&s->list, &s->size, s->n + 1, sizeof(*s->list)))
		return NUMBERS_NONE;
	s->list[s->n] = number;
	s->slots[slot] = (uint32_t)++s->n;
	return (uint32_t)s->n - 1;
}

uint32_t numbers_find(const struct numbers *s, uint32_t number)
{
	size_t slot = numbers_slot(s, number);

	return s->slots[slot] ? s->slots[slot] - 1 : NUMBERS_NONE;
}

uint32_t numbers_get(const struct numbers *s, uint32_t place)
{
	return s->list[place];
}

size_t numbers_count(const struct numbers *s)
{
	return s->n;
}
