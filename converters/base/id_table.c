/* SPDX-License-Identifier: MIT */
/*
 * id_table.c - renumbers the numbers of a file in order of arrival.
 *
 * In: numbers, any. Out: places without gaps.
 */
#include "base/id_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

struct id_table {
	struct hash_secret secret;
	uint32_t *list;
	size_t n, size;
	uint32_t *slots; /* place + 1, 0: free; a power of two of them */
	size_t n_slots;
};

struct id_table *id_table_new(void)
{
	struct id_table *s = calloc(1, sizeof(*s));

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

void id_table_free(struct id_table *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->slots);
	free(s);
}

static size_t id_table_slot(const struct id_table *s, uint32_t number)
{
	size_t mask = s->n_slots - 1;
	size_t i = hash_pair(&s->secret, number, 0) & mask;

	while (s->slots[i] && s->list[s->slots[i] - 1] != number)
		i = (i + 1) & mask;
	return i;
}

static int id_table_rehash(struct id_table *s)
{
	uint32_t *old = s->slots;
	uint32_t *slots = calloc(s->n_slots * 2, sizeof(*slots));

	if (!slots)
		return -1;
	s->slots = slots;
	s->n_slots *= 2;
	for (size_t i = 0; i < s->n; i++)
		s->slots[id_table_slot(s, s->list[i])] = (uint32_t)i + 1;
	free(old);
	return 0;
}

uint32_t id_table_add(struct id_table *s, uint32_t number)
{
	size_t slot = id_table_slot(s, number);

	if (s->slots[slot])
		return s->slots[slot] - 1;
	if (s->n >= ID_TABLE_NONE - 1)
		return ID_TABLE_NONE;
	if (s->n >= s->n_slots / 2) {
		if (id_table_rehash(s))
			return ID_TABLE_NONE;
		slot = id_table_slot(s, number);
	}
	if (!array_reserve(&s->list, &s->size, s->n + 1, sizeof(*s->list)))
		return ID_TABLE_NONE;
	s->list[s->n] = number;
	s->slots[slot] = (uint32_t)++s->n;
	return (uint32_t)s->n - 1;
}

uint32_t id_table_find(const struct id_table *s, uint32_t number)
{
	size_t slot = id_table_slot(s, number);

	return s->slots[slot] ? s->slots[slot] - 1 : ID_TABLE_NONE;
}

uint32_t id_table_get(const struct id_table *s, uint32_t place)
{
	return s->list[place];
}

size_t id_table_count(const struct id_table *s)
{
	return s->n;
}
