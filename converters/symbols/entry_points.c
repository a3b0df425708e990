/* SPDX-License-Identifier: MIT */
/*
 * entry_points.c - recognises _start and main of a stripped program by their callers and callees.
 *
 * In: the outermost frames of the stacks. Out: names of two functions.
 *
 * A stripped program has no symbol for main, although most users first ask for the call paths from
 * main. The outermost frames of a stack show both functions:
 *
 * 	[prog+0x7720]  __libc_start_main  [libc.so.6+0x271d0]  [prog+0x7650]
 * 	_start                            (or nothing)         main
 */
#include "symbols/entry_points.h"

#include <string.h>

#define STARTER	  "__libc_start_main"
#define OUTERMOST 4 /* the most frames from _start to main, inclusive */

/* Lists the frames of node i's call path, outermost first. Returns their number, or 0 if there are
 * more than OUTERMOST. */
static size_t outer_frames(const struct profile *p, size_t i, const struct profile_frame **frames)
{
	/* In a grouped profile the outermost node is the group's, and above it may be a column's. */
	size_t node = i, n = 0, extra = (p->by != PROFILE_BY_NOTHING) + (p->n_columns > 0);

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

/* Returns 1 if the frame is of the C library's start-up function, 0 if it is not, -1 on error. */
static int is_starter(struct symbols *s, const struct profile *p, const struct profile_frame *frame,
		      struct error *err)
{
	struct symbols_place place;

	if (symbols_frame(s, frame, &place, err))
		return -1;
	return place.has_symbol &&
	       strcmp(strings_get(p->strings, place.function, NULL), STARTER) == 0;
}

/* Says whether the last of these frames has the position of main. */
static bool is_main(const struct profile_frame *const *frames, size_t n)
{
	uint32_t program = frames[0]->module, library = frames[1]->module;

	if (program == library || frames[n - 1]->module != program)
		return false;
	return n == 3 || (n == 4 && frames[2]->module == library);
}

int entry_points_name(struct symbols *s, const struct profile *p, struct error *err)
{
	const struct profile_frame *frames[OUTERMOST];

	for (size_t i = 1; i < p->n_nodes; i++) {
		size_t n = outer_frames(p, i, frames);
		int rc;

		if (n < 3 || !is_main(frames, n))
			continue;
		rc = is_starter(s, p, frames[1], err);
		if (rc < 0 || (rc && (symbols_set_name(s, frames[0], "_start", err) ||
				      symbols_set_name(s, frames[n - 1], "main", err))))
			return -1;
	}
	return 0;
}
