/* SPDX-License-Identifier: MIT */
/*
 * entry_points.c - recognises main by who calls it.
 *
 * In: the outer ends of the stacks. Out: two names. A stripped program has no symbol
 * for its main, and call paths from main are what most people ask for first:
 *
 * 	[prog+0x7720]  __libc_start_main  [libc.so.6+0x271d0]  [prog+0x7650]
 * 	_start                            (or nothing)         main
 */
#include "symbols/entry_points.h"

#include <string.h>

#define STARTER	  "__libc_start_main"
#define OUTERMOST 4 /* frames from _start to main, at most */

/* The frames of node i's stack, outermost first, if there are at most OUTERMOST; else 0. */
static size_t outer_frames(const struct profile *p, size_t i, const struct profile_frame **frames)
{
	/* The outermost one may be a group's. */
	size_t node = i, n = 0, extra = p->is_grouped;

	while (node && n <= OUTERMOST + extra) {
		node = p->nodes[node].parent;
		n++;
	}
	if (n > OUTERMOST + extra || n <= extra)
		return 0;
	n -= extra;
	node = i;
	for (size_t k = n; k-- > 0; node = p->nodes[node].parent)
		frames[k] = &p->frames[p->nodes[node].frame];
	return n;
}

/* 1: it is the C library's start-up function. */
static int is_starter(struct symbols *s, const struct profile *p, const struct profile_frame *frame,
		      struct error *err)
{
	struct symbols_place place;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	return place.has_symbol &&
	       strcmp(strings_get(p->strings, place.function, NULL), STARTER) == 0;
}

/* Says whether the last of these frames is at the place of main. */
static bool is_main(const struct profile_frame *const *frames, size_t n)
{
	uint32_t program = frames[0]->module, library = frames[1]->module;

	if (program == library || frames[n - 1]->module != program)
		return false;
	return n == 3 || (n == 4 && frames[2]->module == library);
}

int entry_points_name(struct symbols *s, const struct profile *p, struct error *err)
{
	const struct profile_frame *frames[OUTERMOST + 1];

	for (size_t i = 1; i < p->n_nodes; i++) {
		size_t n = outer_frames(p, i, frames);
		int rc;

		if (n < 3 || !is_main(frames, n) || frames[0]->module == PROFILE_NO_MODULE)
			continue;
		rc = is_starter(s, p, frames[1], err);
		if (rc < 0 || (rc && (symbols_set_name(s, frames[0], "_start", err) ||
				      symbols_set_name(s, frames[n - 1], "main", err))))
			return -1;
	}
	return 0;
}
