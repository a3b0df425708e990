/* SPDX-License-Identifier: MIT */
/*
 * id_table.c - renumbers the numbers of a file in order of arrival.
 *
 * In: numbers of any size. Out: numbers 0, 1, 2, ..., which are called places.
 */
#include "base/id_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/index.h"

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
