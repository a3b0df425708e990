/* SPDX-License-Identifier: MIT */
/*
 * paths.h - a growing tree of distinct call paths.
 *
 * Nodes are numbered in order of arrival, so that a parent's number is less than its children's;
 * node 0 is the root. Frames are distinct.
 */
#ifndef PATHS_H
#define PATHS_H

#include "profile.h"

#define PATHS_NONE UINT32_MAX

struct paths {
	struct profile_frame *frames;
	struct profile_node *nodes;
	size_t n_frames, n_nodes;
	/* Private to paths.c: */
	size_t frames_size, nodes_size;
	struct paths_index *index;
};

struct paths *paths_new(void); /* NULL: out of memory */
void paths_free(struct paths *p);

/* The child of `parent` for that frame, added with weight 0 if it is new; PATHS_NONE when memory is
 * out. */
uint32_t paths_child(struct paths *p, uint32_t parent, const struct profile_frame *frame);

/* The frame of the child that was asked for last; NULL if `parent` has none. */
const struct profile_frame *paths_latest(const struct paths *p, uint32_t parent);

/*
 * The frames have been rewritten in place: index them anew. False if some are equal now; no node
 * may be added then.
 */
bool paths_reindex(struct paths *p);

#endif
