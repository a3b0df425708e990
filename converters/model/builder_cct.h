/* SPDX-License-Identifier: MIT */
/*
 * builder_cct.h - credits samples to call paths.
 *
 * In a calling context tree (Ammons, Ball and Larus, Exploiting Hardware Performance Counters with
 * Flow and Context Sensitive Profiling, PLDI 1997) each node stands for one call path: the frames
 * from the root to the node. Samples with the same call path are counted at the same node, so that
 * the tree grows with the number of distinct call paths and not with the number of samples. Unlike
 * theirs, this tree has no back edges for recursion: each level of a recursion is a node.
 *
 * Nodes are numbered in order of arrival, so that a parent has a lower number than its children;
 * node 0 is the root. Frames are distinct and numbered, too.
 */
#ifndef MODEL_BUILDER_CCT_H
#define MODEL_BUILDER_CCT_H

#include "base/hash.h"
#include "model/profile.h"

/* ---- cct ------------------------------------------------------------------------------------- */

#define CCT_NONE UINT32_MAX

/* `recent` has the frames that were found lately, by some bits of a cheap hash value. */
#define CCT_RECENT_BITS 12

struct cct {
	struct profile_frame *frames;
	struct profile_node *nodes;
	size_t n_frames, n_nodes;
	struct squares squares; /* by node; none unless they are wanted */
	/* Private to builder_cct.c: */
	size_t frames_size, nodes_size;
	struct pair_table pairs; /* (parent, frame) -> node - 1 */
	struct hash_secret secret;
	struct index numbers;			/* of frames */
	uint32_t recent[1u << CCT_RECENT_BITS]; /* frame + 1, 0: none */
};

struct cct *cct_new(void); /* NULL: out of memory */
void cct_free(struct cct *p);

/* The number of a frame, added if it is new; CCT_NONE when memory is out. */
static inline uint32_t cct_frame(struct cct *p, struct profile_frame frame);

/* The child of `parent` for the frame of that number; it is added with weight 0 if it is new.
 * CCT_NONE: memory is out, or the frame is CCT_NONE. */
static inline uint32_t cct_step(struct cct *p, uint32_t parent, uint32_t frame);
static inline uint32_t cct_child(struct cct *p, uint32_t parent, const struct profile_frame *frame)
{
	return cct_step(p, parent, cct_frame(p, *frame));
}

/* ---- what is inlined ---- */

uint32_t cct_frame_search(struct cct *p, struct profile_frame frame);
uint32_t cct_add(struct cct *p, uint32_t parent, uint32_t frame);

static inline bool cct_frame_equal(const struct profile_frame *a, struct profile_frame b)
{
	return a->address == b.address && a->module == b.module && a->name == b.name;
}

/* The place in `recent` where a frame may be. This hash has no secret: an input whose frames all
 * collide here is slower, because each frame is searched for in the index. */
static inline size_t cct_recent(struct profile_frame frame)
{
	uint64_t x = (frame.address ^ (uint64_t)frame.name << 32) + frame.module;

	return x * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CCT_RECENT_BITS);
}

/* The frame is passed by value, so that it mostly stays in registers. */
static inline uint32_t cct_frame(struct cct *p, struct profile_frame frame)
{
	uint32_t *recent = &p->recent[cct_recent(frame)], number;

	if (*recent && cct_frame_equal(&p->frames[*recent - 1], frame))
		return *recent - 1;
	number = cct_frame_search(p, frame);
	*recent = number + 1; /* CCT_NONE becomes 0 */
	return number;
}

static inline uint32_t cct_step(struct cct *p, uint32_t parent, uint32_t frame)
{
	const struct pair_table_latest latest = pair_table_latest(&p->pairs, parent);

	if (latest.b == frame && latest.number != PAIR_TABLE_NONE)
		return latest.number + 1;
	return cct_add(p, parent, frame);
}

#endif
