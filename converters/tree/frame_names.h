/* SPDX-License-Identifier: MIT */
/*
 * frame_names.h - the names that each frame of a profile stands for. Symbols are asked only once.
 */
#ifndef FRAME_NAMES_H
#define FRAME_NAMES_H

#include "model/profile.h"
#include "symbols/symbols.h"

/* The names of a frame are all[first .. first + n - 1]. */
struct chain {
	uint32_t first, n; /* n is 0 if the names are not known yet */
};

struct frame_names {
	const struct profile *profile;
	struct symbols *symbols;
	bool merge_calls;     /* equal names in a row become one */
	struct chain *frames; /* by frame */
	uint32_t *all;	      /* names in the profile's string table */
	uint32_t *functions;  /* by element of `all`: the function that it is or is a place in */
	size_t n_all, room, functions_room;
	/* By name: see struct tree. The caller takes them, and frees them. */
	uint32_t *modules;
	size_t n_modules, modules_room;
};

/* Begin with no frame's names. s may be NULL if all frames have names. Returns -1 if memory is
 * out. */
int frame_names_init(struct frame_names *c, const struct profile *p, struct symbols *s,
		     struct error *err);
/* Free what c holds. */
void frame_names_clear(struct frame_names *c);

/* Get the names of the frame's function and then of the functions inlined there; there is at least
 * one name. `names` is valid until the next call. Returns -1 if memory is out. */
int frame_names_get(struct frame_names *c, uint32_t frame, const uint32_t **names, uint32_t *n,
		    struct error *err);

#endif
