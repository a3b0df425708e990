/* SPDX-License-Identifier: MIT */
/*
 * whole_samples.h - gives samples whose stack comes again their frames, for tests to look at.
 */
#ifndef WHOLE_SAMPLES_H
#define WHOLE_SAMPLES_H

#include "event.h"

/* All zero at first. */
struct whole_samples {
	struct whole_stack {
		struct event_frame *frames;
		size_t depth;
		uint32_t thread, mark;
	} * stacks; /* by number - 1 */
	size_t n;
	uint32_t generation;
};

/* The sample with all its frames, which are valid until the next one. What it breaks of what event.h
 * promises about stacks that come again is an error of the test. */
struct event_sample whole_sample(struct whole_samples *w, const struct event_sample *e);
void whole_samples_free(struct whole_samples *w);

#endif
