/* SPDX-License-Identifier: MIT */
/*
 * cct.c - finds or adds the node of a call path.
 *
 * In: a parent and a frame. Out: the number of the child. Frames are numbered first, so that a
 * child is found by a pair of numbers. A stack that is as the previous one needs no search: most
 * nodes are asked for the child that they were asked for the last time.
 */
#include "model/cct.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void cct_free(struct cct *p)
{
	if (!p)
		return;
	index_clear(&p->numbers);
	pair_table_clear(&p->pairs);
	free(p->frames);
	free(p->nodes);
	squares_free(&p->squares);
	free(p);
}

struct cct *cct_new(void)
{
	struct cct *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (!array_reserve(&p->nodes, &p->nodes_size, 1, sizeof(*p->nodes))) {
		cct_free(p);
		return NULL;
	}
	p->secret = hash_secret();
	p->nodes[0] = (struct profile_node){.parent = CCT_NONE, .frame = CCT_NONE};
	p->n_nodes = 1;
	return p;
}

static uint64_t frame_tag(const struct cct *p, struct profile_frame f)
{
	uint64_t place = f.name == STRINGS_NONE ? f.module : f.name;

	return hash_pair(&p->secret, f.address, place);
}

static bool frame_is_equal(const void *frames, uint32_t number, const void *frame)
{
	const struct profile_frame *f = frame;

	return cct_frame_equal((const struct profile_frame *)frames + number, *f);
}

/* Search for a frame that is not in `recent`, and add it if it is new. */
uint32_t cct_frame_search(struct cct *p, struct profile_frame f)
{
	uint64_t tag = frame_tag(p, f);
	struct index_slot *slot;

	if (index_reserve(&p->numbers, 1))
		return CCT_NONE;
	slot = index_slot(&p->numbers, tag, frame_is_equal, p->frames, &f);
	if (slot->number != INDEX_NONE)
		return slot->number;
	if (p->n_frames >= CCT_NONE - 1 ||
	    !array_reserve(&p->frames, &p->frames_size, p->n_frames + 1, sizeof(*p->frames)))
		return CCT_NONE;
	p->frames[p->n_frames] = f;
	index_fill(&p->numbers, slot, tag, (uint32_t)p->n_frames);
	return (uint32_t)p->n_frames++;
}

static uint32_t node_append(struct cct *p, uint32_t parent, uint32_t frame)
{
	if (!array_reserve(&p->nodes, &p->nodes_size, p->n_nodes + 1, sizeof(*p->nodes)))
		return CCT_NONE;
	p->nodes[p->n_nodes] = (struct profile_node){.parent = parent, .frame = frame};
	return (uint32_t)p->n_nodes++;
}

uint32_t cct_child_apart(struct cct *p, uint32_t parent)
{
	if (p->n_nodes >= CCT_NONE - 1 || pair_table_skip(&p->pairs) == PAIR_TABLE_NONE)
		return CCT_NONE;
	return node_append(p, parent, CCT_NONE);
}

/* Find or add a child that is not the latest one of its parent. */
uint32_t cct_add(struct cct *p, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	if (frame == CCT_NONE || p->n_nodes >= CCT_NONE - 1)
		return CCT_NONE;
	node = pair_table_child_other(&p->pairs, parent, frame) + 1; /* PAIR_TABLE_NONE becomes 0 */
	if (node < p->n_nodes)
		return node ? node : CCT_NONE;
	return node_append(p, parent, frame);
}

const struct profile_frame *cct_latest(const struct cct *p, uint32_t parent)
{
	const struct pair_table_latest latest = pair_table_latest(&p->pairs, parent);

	return latest.number == PAIR_TABLE_NONE ? NULL : &p->frames[latest.b];
}

/* Nodes refer to frames by number, so that nodes need not change. */
bool cct_reindex(struct cct *p)
{
	memset(p->recent, 0, sizeof(p->recent));
	index_empty(&p->numbers);
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct profile_frame *f = &p->frames[i];
		uint64_t tag = frame_tag(p, *f);
		struct index_slot *slot =
			index_slot(&p->numbers, tag, frame_is_equal, p->frames, f);

		if (slot->number != INDEX_NONE)
			return false;
		index_fill(&p->numbers, slot, tag, (uint32_t)i);
	}
	return true;
}
