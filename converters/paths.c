/* SPDX-License-Identifier: MIT */
/*
 * paths.c - finds or adds the node of a call path.
 *
 * Room: model. In: a parent and a frame. Out: the child's number. Two open hash tables, one of
 * nodes by (parent, frame) and one of frames; the first answers for every path seen before.
 */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"

/* The hash value stays beside the number, so that most of what does not match is not looked up. */
struct slot {
	uint32_t hash;
	uint32_t number; /* + 1, 0: free */
};

struct table {
	struct slot *slots; /* a power of two of them */
	size_t n_slots;
};

struct paths_index {
	struct hash_secret secret;
	struct table frames, nodes;
	uint32_t *latest; /* of each node, the child asked for last, 0 for none */
	size_t latest_size;
};

static int table_init(struct table *t, size_t n_slots)
{
	t->slots = calloc(n_slots, sizeof(*t->slots));
	t->n_slots = n_slots;
	return t->slots ? 0 : -1;
}

/* Take in what is not in the table yet. */
static void table_put(struct table *t, struct slot entry)
{
	size_t mask = t->n_slots - 1, i = entry.hash & mask;

	while (t->slots[i].number)
		i = (i + 1) & mask;
	t->slots[i] = entry;
}

static int table_double(struct table *t)
{
	struct table larger;

	if (table_init(&larger, t->n_slots * 2))
		return -1;
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->slots[i].number)
			table_put(&larger, t->slots[i]);
	free(t->slots);
	*t = larger;
	return 0;
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	if (p->index) {
		free(p->index->frames.slots);
		free(p->index->nodes.slots);
		free(p->index->latest);
	}
	free(p->index);
	free(p->frames);
	free(p->nodes);
	free(p);
}

static bool nodes_reserve(struct paths *p)
{
	struct paths_index *index = p->index;

	return array_reserve(&p->nodes, &p->nodes_size, p->n_nodes + 1, sizeof(*p->nodes)) &&
	       array_reserve(&index->latest, &index->latest_size, p->n_nodes + 1,
			     sizeof(*index->latest));
}

struct paths *paths_new(void)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->index = calloc(1, sizeof(*p->index));
	if (!p->index || table_init(&p->index->frames, 64) || table_init(&p->index->nodes, 64) ||
	    !nodes_reserve(p)) {
		paths_free(p);
		return NULL;
	}
	p->index->secret = hash_secret();
	p->nodes[0] = (struct profile_node){.parent = PATHS_NONE, .frame = PATHS_NONE};
	p->n_nodes = 1;
	p->index->latest[0] = 0;
	return p;
}

static uint32_t path_hash(const struct paths *p, uint32_t parent, const struct profile_frame *f)
{
	uint32_t place = f->name == STRINGS_NONE ? f->module : f->name;

	return (uint32_t)hash_pair(&p->index->secret, f->address, (uint64_t)parent << 32 | place);
}

static bool frame_equal(const struct profile_frame *a, const struct profile_frame *b)
{
	return a->address == b->address && a->module == b->module && a->name == b->name;
}

/* The slot that holds the node, or a free one. */
static const struct slot *node_slot(const struct paths *p, uint32_t parent,
				    const struct profile_frame *f, uint32_t hash)
{
	const struct table *t = &p->index->nodes;
	size_t mask = t->n_slots - 1, i = hash & mask;

	for (; t->slots[i].number; i = (i + 1) & mask) {
		if (t->slots[i].hash != hash)
			continue;
		const struct profile_node *n = &p->nodes[t->slots[i].number - 1];
		if (n->parent == parent && frame_equal(&p->frames[n->frame], f))
			break;
	}
	return &t->slots[i];
}

static struct slot *frame_slot(const struct paths *p, const struct profile_frame *f, uint32_t hash)
{
	const struct table *t = &p->index->frames;
	size_t mask = t->n_slots - 1, i = hash & mask;

	while (t->slots[i].number &&
	       (t->slots[i].hash != hash || !frame_equal(&p->frames[t->slots[i].number - 1], f)))
		i = (i + 1) & mask;
	return &t->slots[i];
}

static uint32_t paths_frame(struct paths *p, const struct profile_frame *f)
{
	uint32_t hash = path_hash(p, 0, f);
	struct slot *slot = frame_slot(p, f, hash);

	if (slot->number)
		return slot->number - 1;
	if (p->n_frames >= PATHS_NONE - 1)
		return PATHS_NONE;
	if (p->n_frames >= p->index->frames.n_slots / 2) {
		if (table_double(&p->index->frames))
			return PATHS_NONE;
		slot = frame_slot(p, f, hash);
	}
	if (!array_reserve(&p->frames, &p->frames_size, p->n_frames + 1, sizeof(*p->frames)))
		return PATHS_NONE;
	p->frames[p->n_frames++] = *f;
	*slot = (struct slot){hash, (uint32_t)p->n_frames};
	return (uint32_t)p->n_frames - 1;
}

static uint32_t paths_add(struct paths *p, uint32_t parent, const struct profile_frame *f,
			  uint32_t hash)
{
	uint32_t frame = paths_frame(p, f);

	if (frame == PATHS_NONE || p->n_nodes >= PATHS_NONE - 1)
		return PATHS_NONE;
	if (p->n_nodes >= p->index->nodes.n_slots / 2 && table_double(&p->index->nodes))
		return PATHS_NONE;
	if (!nodes_reserve(p))
		return PATHS_NONE;
	p->index->latest[p->n_nodes] = 0;
	p->nodes[p->n_nodes++] = (struct profile_node){.parent = parent, .frame = frame};
	table_put(&p->index->nodes, (struct slot){hash, (uint32_t)p->n_nodes});
	return (uint32_t)p->n_nodes - 1;
}

uint32_t paths_child(struct paths *p, uint32_t parent, const struct profile_frame *frame)
{
	uint32_t child = p->index->latest[parent];

	if (child && frame_equal(&p->frames[p->nodes[child].frame], frame))
		return child;
	uint32_t hash = path_hash(p, parent, frame);
	const struct slot *slot = node_slot(p, parent, frame, hash);
	child = slot->number ? slot->number - 1 : paths_add(p, parent, frame, hash);
	if (child != PATHS_NONE)
		p->index->latest[parent] = child;
	return child;
}

bool paths_reindex(struct paths *p)
{
	struct table *t = &p->index->nodes;

	memset(p->index->frames.slots, 0, p->index->frames.n_slots * sizeof(struct slot));
	for (size_t i = 0; i < p->n_frames; i++) {
		uint32_t hash = path_hash(p, 0, &p->frames[i]);
		struct slot *slot = frame_slot(p, &p->frames[i], hash);
		if (slot->number)
			return false;
		*slot = (struct slot){hash, (uint32_t)i + 1};
	}
	memset(t->slots, 0, t->n_slots * sizeof(struct slot));
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];
		uint32_t hash = path_hash(p, n->parent, &p->frames[n->frame]);
		table_put(t, (struct slot){hash, (uint32_t)i + 1});
	}
	return true;
}
