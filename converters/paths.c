/* SPDX-License-Identifier: MIT */
/*
 * paths.c - finds or adds the node of a call path.
 *
 * Room: model. In: a parent and a frame. Out: the child's number.
 *
 * Most nodes of deep stacks have one child. A node knows the child that it was asked for last; only
 * children that have siblings are in a hash table, by (parent, frame). Another one is of frames.
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
	size_t used;
};

struct paths_index {
	struct hash_secret secret;
	struct table frames, nodes;
	uint32_t *latest; /* of each node, the child asked for last; 0: it has none */
	size_t latest_size;
};

static int table_init(struct table *t, size_t n_slots)
{
	t->slots = calloc(n_slots, sizeof(*t->slots));
	t->n_slots = n_slots;
	t->used = 0;
	return t->slots ? 0 : -1;
}

/* Take in what is not in the table yet. */
static void table_put(struct table *t, struct slot entry)
{
	size_t mask = t->n_slots - 1, i = entry.hash & mask;

	while (t->slots[i].number)
		i = (i + 1) & mask;
	t->slots[i] = entry;
	t->used++;
}

/* Make room for two more. */
static int table_reserve(struct table *t)
{
	struct table larger;

	if (t->used + 2 <= t->n_slots / 2)
		return 0;
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

/* The node in the table, or 0. */
static uint32_t node_find(const struct paths *p, uint32_t parent, const struct profile_frame *f,
			  uint32_t hash)
{
	const struct table *t = &p->index->nodes;
	size_t mask = t->n_slots - 1, i = hash & mask;

	for (; t->slots[i].number; i = (i + 1) & mask) {
		if (t->slots[i].hash != hash)
			continue;
		const struct profile_node *n = &p->nodes[t->slots[i].number - 1];
		if (n->parent == parent && frame_equal(&p->frames[n->frame], f))
			return t->slots[i].number - 1;
	}
	return 0;
}

/* The frame's number, or PATHS_NONE. */
static uint32_t frame_find(const struct paths *p, const struct profile_frame *f, uint32_t hash)
{
	const struct table *t = &p->index->frames;
	size_t mask = t->n_slots - 1, i = hash & mask;

	for (; t->slots[i].number; i = (i + 1) & mask)
		if (t->slots[i].hash == hash && frame_equal(&p->frames[t->slots[i].number - 1], f))
			return t->slots[i].number - 1;
	return PATHS_NONE;
}

static uint32_t paths_frame(struct paths *p, const struct profile_frame *f)
{
	uint32_t hash = path_hash(p, 0, f);
	uint32_t number = frame_find(p, f, hash);

	if (number != PATHS_NONE)
		return number;
	if (p->n_frames >= PATHS_NONE - 1)
		return PATHS_NONE;
	if (table_reserve(&p->index->frames))
		return PATHS_NONE;
	if (!array_reserve(&p->frames, &p->frames_size, p->n_frames + 1, sizeof(*p->frames)))
		return PATHS_NONE;
	p->frames[p->n_frames++] = *f;
	table_put(&p->index->frames, (struct slot){hash, (uint32_t)p->n_frames});
	return (uint32_t)p->n_frames - 1;
}

static uint32_t paths_add(struct paths *p, uint32_t parent, const struct profile_frame *f)
{
	uint32_t frame = paths_frame(p, f);

	if (frame == PATHS_NONE || p->n_nodes >= PATHS_NONE - 1 || !nodes_reserve(p))
		return PATHS_NONE;
	p->index->latest[p->n_nodes] = 0;
	p->nodes[p->n_nodes++] = (struct profile_node){.parent = parent, .frame = frame};
	return (uint32_t)p->n_nodes - 1;
}

/* A further child of a node that has `first`: from now on both are in the table. */
static uint32_t paths_add_sibling(struct paths *p, uint32_t first, const struct profile_frame *f,
				  uint32_t hash)
{
	const struct profile_node *n = &p->nodes[first];
	struct table *t = &p->index->nodes;
	uint32_t parent = n->parent, child;
	uint32_t first_hash = path_hash(p, parent, &p->frames[n->frame]);

	if (table_reserve(t))
		return PATHS_NONE;
	if (!node_find(p, parent, &p->frames[n->frame], first_hash))
		table_put(t, (struct slot){first_hash, first + 1});
	child = paths_add(p, parent, f);
	if (child != PATHS_NONE)
		table_put(t, (struct slot){hash, child + 1});
	return child;
}

uint32_t paths_child(struct paths *p, uint32_t parent, const struct profile_frame *frame)
{
	uint32_t latest = p->index->latest[parent], child;

	if (latest == 0) {
		child = paths_add(p, parent, frame);
	} else if (frame_equal(&p->frames[p->nodes[latest].frame], frame)) {
		return latest;
	} else {
		uint32_t hash = path_hash(p, parent, frame);

		child = node_find(p, parent, frame, hash);
		if (child == 0)
			child = paths_add_sibling(p, latest, frame, hash);
	}
	if (child != PATHS_NONE)
		p->index->latest[parent] = child;
	return child;
}

const struct profile_frame *paths_latest(const struct paths *p, uint32_t parent)
{
	uint32_t latest = p->index->latest[parent];

	return latest ? &p->frames[p->nodes[latest].frame] : NULL;
}

/* Put the nodes of the table to where their frames, as they are now, belong. */
static int nodes_reindex(struct paths *p)
{
	struct table old = p->index->nodes, *t = &p->index->nodes;

	if (table_init(t, old.n_slots)) {
		*t = old;
		return -1;
	}
	for (size_t i = 0; i < old.n_slots; i++) {
		uint32_t number = old.slots[i].number;
		if (!number)
			continue;
		const struct profile_node *n = &p->nodes[number - 1];
		uint32_t hash = path_hash(p, n->parent, &p->frames[n->frame]);
		table_put(t, (struct slot){hash, number});
	}
	free(old.slots);
	return 0;
}

bool paths_reindex(struct paths *p)
{
	struct table *t = &p->index->frames;

	memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
	t->used = 0;
	for (size_t i = 0; i < p->n_frames; i++) {
		uint32_t hash = path_hash(p, 0, &p->frames[i]);
		if (frame_find(p, &p->frames[i], hash) != PATHS_NONE)
			return false;
		table_put(t, (struct slot){hash, (uint32_t)i + 1});
	}
	return nodes_reindex(p) == 0;
}
