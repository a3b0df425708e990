/* SPDX-License-Identifier: MIT */
/*
 * track_marks.h - the moments that programs gave names to, track by track.
 *
 * In: a profile, its tracks. Out: struct track_marks.
 */
#ifndef TRACK_MARKS_H
#define TRACK_MARKS_H

#include "export/tracks.h"

struct track_mark {
	size_t track;  /* its number */
	uint64_t ns;   /* since begin_ns */
	uint32_t name; /* in profile.strings */
	size_t place;  /* in order of arrival */
};

struct track_marks {
	struct track_mark *list; /* by track, and then as the profile has them */
	size_t n;
};

/* Find the marks in the time that is selected. A mark is in the track of its thread, or if that has none, in the first one
 * of its process. Marks of others, and all marks if stacks are grouped, are left out. -1: out of memory. To be freed in any
 * case. */
int track_marks_find(struct track_marks *m, const struct profile *p, const struct tracks *tracks,
		     uint64_t begin_ns, struct error *err);
void track_marks_free(struct track_marks *m);

#endif
