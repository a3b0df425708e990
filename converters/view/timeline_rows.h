/* SPDX-License-Identifier: MIT */
/*
 * timeline_rows.h - the timeline as a table for programs.
 *
 * In: a profile with times. Out: rows.
 *
 * The time that is shown is cut into equal parts. For each resource there is a row "all" for each
 * part, and for each thread a row for each part in which it has used some; marks follow. What a
 * sample stands for is spread over the time before it, and rounded so that the parts add up to what
 * the thread was credited with.
 */
#ifndef TIMELINE_ROWS_H
#define TIMELINE_ROWS_H

#include "write/out.h"
#include "write/view_input.h"

#define TIMELINE_PARTS 100u

/* Times in nanoseconds since 1970. */
struct timeline_span {
	uint64_t begin_ns;	 /* of the run */
	uint64_t from_ns, to_ns; /* what is shown of it */
};

/* -1: memory. */
int timeline_rows(const struct view_input *in, const struct timeline_span *span, struct out *o,
		  struct error *err);

#endif
