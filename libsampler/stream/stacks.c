/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - recognises stacks that come again.
 *
 * In: keys of stacks. Out: their numbers, and how recently each was used (doc/decisions/0020).
 */
#include <string.h>

#include "base/arena.h"
#include "stream/stacks.h"
#include "base/poison.h"

#define WAYS	4u
#define BUCKETS (CPS_STACKS / 2)

_Static_assert((BUCKETS & (BUCKETS - 1)) == 0 && CPS_STACKS <= 1u << 16, "numbers fit 16 bits");

/* Pages of the arena, because most processes touch little of it. The numbers in a bucket are only
 * hints: they may be those of other keys. */
static struct {
	struct cps_stack_key key[CPS_STACKS];
	uint16_t bucket[BUCKETS][WAYS]; /* numbers, the latest first */
} * s;
static uint32_t n_stacks;	    /* stacks that have a number */
static uint32_t next;		    /* the next number */
static uint16_t recent[CPS_RECENT]; /* numbers, the latest first */
static uint32_t n_recent;

bool cps_stacks_prepare(void)
{
	if (!s)
		s = cps_arena_pages(sizeof(*s));
	return s;
}

void cps_stacks_forget(void)
{
	n_stacks = next = n_recent = 0;
}

static uint16_t *bucket_of(struct cps_stack_key key)
{
	return s->bucket[key.a % BUCKETS];
}

/* Puts the number first in the list. The numbers before `place` move back by one. */
static void put_first(uint16_t *list, uint32_t place, uint32_t number)
{
	memmove(list + 1, list, place * sizeof(*list));
	list[0] = (uint16_t)number;
}

/* Puts a number first that is not in the list of recent ones. */
static void put_recent(uint32_t number)
{
	n_recent += n_recent < CPS_RECENT;
	put_first(recent, n_recent - 1, number);
}

void cps_stacks_add(struct cps_stack_key key)
{
	put_first(bucket_of(key), WAYS - 1, next);
	s->key[next] = key;
	put_recent(next);
	next = (next + 1) % CPS_STACKS;
	n_stacks += n_stacks < CPS_STACKS;
}

static bool find(struct cps_stack_key key, uint32_t *number)
{
	const uint16_t *bucket = bucket_of(key);

	for (uint32_t way = 0; way < WAYS; way++) {
		const struct cps_stack_key *k = &s->key[bucket[way]];

		*number = bucket[way];
		if (*number < n_stacks && k->a == key.a && k->b == key.b)
			return true;
	}
	return false;
}

bool cps_stacks_again(struct cps_stack_key key, uint32_t *place, uint32_t *number)
{
	uint32_t i = 0;

	if (!find(key, number))
		return false;
	while (i < n_recent && recent[i] != *number)
		i++;
	*place = i < n_recent ? i : CPS_RECENT;
	if (i < n_recent)
		put_first(recent, i, *number);
	else
		put_recent(*number);
	return true;
}
