/* SPDX-License-Identifier: MIT */
/*
 * pair_table.c - numbers distinct pairs of numbers.
 *
 * In: pairs. Out: their numbers.
 *
 * The pairs themselves are not kept, because a pair fits into a tag of the index. If the pairs are
 * the nodes of a tree, the index holds only the nodes that have siblings.
 */
#include "base/pair_table.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t tag_of(const struct pair_table *t, uint32_t a, uint32_t b)
{
	return hash_distinct(&t->secret, (uint64_t)a << 32 | b);
}

/* Make room for n more pairs. */
static int reserve(struct pair_table *t, size_t n)
{
	if (!t->numbers.n_slots)
		t->secret = hash_secret();
	return index_reserve(&t->numbers, n);
}

/* Returns the slot of the pair. If the pair is new, it is added with the number `number`. */
static const struct index_slot *slot_of(struct pair_table *t, uint32_t a, uint32_t b,
					uint32_t number)
{
	uint64_t tag = tag_of(t, a, b);
	struct index_slot *slot = index_tag_slot(&t->numbers, tag);

	if (slot->number == INDEX_NONE)
		index_fill(&t->numbers, slot, tag, number);
	return slot;
}

uint32_t pair_table_number(struct pair_table *t, uint32_t a, uint32_t b)
{
	uint32_t number;

	if (t->count == PAIR_TABLE_NONE)
		return index_tag_find(&t->numbers, tag_of(t, a, b));
	if (reserve(t, 1))
		return PAIR_TABLE_NONE;
	number = slot_of(t, a, b, t->count)->number;
	t->count += number == t->count;
	return number;
}

/* Returns the entry of a parent, which is added if the parent has no child yet; NULL if memory is
 * out. */
static struct pair_table_latest *latest_of(struct pair_table *t, uint32_t parent)
{
	if (!array_reserve(&t->latest, &t->latest_size, (size_t)parent + 1, sizeof(*t->latest)))
		return NULL;
	for (; t->n_latest <= parent; t->n_latest++)
		t->latest[t->n_latest].number = PAIR_TABLE_NONE;
	return &t->latest[parent];
}

/* Add a child that is not in the table. An only child is not in the index; it is added to the index
 * together with its first sibling. */
static uint32_t add_child(struct pair_table *t, uint32_t parent, uint32_t b)
{
	struct pair_table_latest *latest = latest_of(t, parent);

	if (!latest || t->count == PAIR_TABLE_NONE)
		return PAIR_TABLE_NONE;
	if (latest->number != PAIR_TABLE_NONE) {
		if (reserve(t, 2))
			return PAIR_TABLE_NONE;
		slot_of(t, parent, latest->b, latest->number);
		slot_of(t, parent, b, t->count);
	}
	*latest = (struct pair_table_latest){b, t->count};
	return t->count++;
}

/* Find or add a child that is not its parent's latest one. */
uint32_t pair_table_child_other(struct pair_table *t, uint32_t parent, uint32_t b)
{
	uint32_t number = index_tag_find(&t->numbers, tag_of(t, parent, b));

	if (number == INDEX_NONE)
		return add_child(t, parent, b);
	t->latest[parent] = (struct pair_table_latest){b, number};
	return number;
}

uint32_t pair_table_skip(struct pair_table *t)
{
	return t->count == PAIR_TABLE_NONE ? PAIR_TABLE_NONE : t->count++;
}

void pair_table_clear(struct pair_table *t)
{
	free(t->latest);
	index_clear(&t->numbers);
	*t = (struct pair_table){0};
}
