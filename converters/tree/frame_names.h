/* SPDX-License-Identifier: MIT */
/*
 * frame_names.h - the names that each frame of a profile stands for, asked for once.
 */
#ifndef FRAME_NAMES_H
#define FRAME_NAMES_H

#include "model/profile.h"
#include "symbols/symbols.h"

/* Where a frame's names are: all[first .. first + n). */
struct chain {
	uint32_t first, n; /* n 0: not asked yet */
};

struct frame_names {
	const struct profile *profile;
	struct symbols *symbols;
	bool merge_calls;     /* equal names in a row are one */
	struct chain *frames; /* by frame */
	uint32_t *all;	      /* in the profile's string table */
	uint32_t *functions;  /* likewise: the function that each of `all` is, or is a place in */
	size_t n_all, room, functions_room;
};

/* Of no frame yet. symbols may be NULL if all frames have names. -1: out of memory. */
int frame_names_init(struct frame_names *c, const struct profile *p, struct symbols *s,
		     struct error *err);
/* Frees what c holds. */
void frame_names_clear(struct frame_names *c);

/* The frame's function, then those inlined there; at least one. Valid until the next call. -1: out
 * of memory. */
int frame_names_get(struct frame_names *c, uint32_t frame, const uint32_t **names, uint32_t *n,
		    struct error *err);

#endif
