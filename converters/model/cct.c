/* SPDX-License-Identifier: MIT */
/*
 * cct.c - finds or adds the node of a call path.
 *
 * In: a parent and a frame. Out: the child's number. Frames get numbers out of a hash
 * table, nodes out of pairs of numbers: the table of nodes, which is the large one, is asked only
 * where a stack takes another turn than the one before it.
 */
#include "model/cct.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The hash value stays beside the number, so that most of what does not match is not looked up. */
struct slot {
	uint32_t hash;
	uint32_t number; /* + 1, 0: free */
};

struct cct_index {
	struct hash_secret secret;
	struct slot *slots; /* of frames; a power of two of them */
	size_t n_slots;
	size_t used;
};

/* Take in what is not in the table yet. */
static void table_put(struct cct_index *t, struct slot entry)
{
	size_t mask = t->n_slots - 1, i = entry.hash & mask;

	while (t->slots[i].number)
		i = (i + 1) & mask;
	t->slots[i] = entry;
	t->used++;
}

/* Make room for one more. */
static int table_reserve(struct cct_index *t)
{
	struct cct_index larger = {.secret = t->secret,
				   .n_slots = t->n_slots ? t->n_slots * 2 : 64};

	if (t->used < t->n_slots / 2)
		return 0;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->slots[i].number)
			table_put(&larger, t->slots[i]);
	free(t->slots);
	*t = larger;
	return 0;
}

void cct_free(struct cct *p)
{
	if (!p)
		return;
	if (p->index)
		free(p->index->slots);
	free(p->index);
	pair_table_clear(&p->pairs);
	free(p->frames);
	free(p->nodes);
	free(p);
}

struct cct *cct_new(void)
{
	struct cct *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->index = calloc(1, sizeof(*p->index));
	if (!p->index || table_reserve(p->index) ||
	    !array_reserve(&p->nodes, &p->nodes_size, 1, sizeof(*p->nodes))) {
		cct_free(p);
		return NULL;
	}
	p->index->secret = hash_secret();
	p->nodes[0] = (struct profile_node){.parent = CCT_NONE, .frame = CCT_NONE};
	p->n_nodes = 1;
	return p;
}

static uint32_t frame_hash(const struct cct *p, struct profile_frame f)
{
	uint64_t place = f.name == STRINGS_NONE ? f.module : f.name;

	return (uint32_t)hash_pair(&p->index->secret, f.address, place);
}

/* The frame's number, or CCT_NONE. */
static uint32_t frame_find(const struct cct *p, struct profile_frame f, uint32_t hash)
{
	const struct cct_index *t = p->index;
	size_t mask = t->n_slots - 1, i = hash & mask;

	for (; t->slots[i].number; i = (i + 1) & mask)
		if (t->slots[i].hash == hash &&
		    cct_frame_equal(&p->frames[t->slots[i].number - 1], f))
			return t->slots[i].number - 1;
	return CCT_NONE;
}

/* The frame is not where it would be if it had been asked for lately. */
uint32_t cct_frame_search(struct cct *p, struct profile_frame f)
{
	uint32_t hash = frame_hash(p, f);
	uint32_t number = frame_find(p, f, hash);

	if (number != CCT_NONE)
		return number;
	if (p->n_frames >= CCT_NONE - 1 || table_reserve(p->index) ||
	    !array_reserve(&p->frames, &p->frames_size, p->n_frames + 1, sizeof(*p->frames)))
		return CCT_NONE;
	p->frames[p->n_frames++] = f;
	table_put(p->index, (struct slot){hash, (uint32_t)p->n_frames});
	return (uint32_t)p->n_frames - 1;
}

/* The child is not the one that was asked for last. */
uint32_t cct_add(struct cct *p, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	if (frame == CCT_NONE || p->n_nodes >= CCT_NONE - 1)
		return CCT_NONE;
	node = pair_table_child_other(&p->pairs, parent, frame) + 1; /* PAIR_TABLE_NONE becomes 0 */
	if (node < p->n_nodes)
		return node ? node : CCT_NONE;
	if (!array_reserve(&p->nodes, &p->nodes_size, p->n_nodes + 1, sizeof(*p->nodes)))
		return CCT_NONE;
	p->nodes[p->n_nodes++] = (struct profile_node){.parent = parent, .frame = frame};
	return node;
}

const struct profile_frame *cct_latest(const struct cct *p, uint32_t parent)
{
	const struct pair_table_latest latest = pair_table_latest(&p->pairs, parent);

	return latest.number == PAIR_TABLE_NONE ? NULL : &p->frames[latest.b];
}

/* Nodes know their frames by number: they stay where they are. */
bool cct_reindex(struct cct *p)
{
	struct cct_index *t = p->index;

	memset(p->recent, 0, sizeof(p->recent));
	memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
	t->used = 0;
	for (size_t i = 0; i < p->n_frames; i++) {
		uint32_t hash = frame_hash(p, p->frames[i]);
		if (frame_find(p, p->frames[i], hash) != CCT_NONE)
			return false;
		table_put(t, (struct slot){hash, (uint32_t)i + 1});
	}
	return true;
}
