/* SPDX-License-Identifier: MIT */
/*
 * profile_builder.h - makes a profile of events.
 *
 * The builder is an event sink; several inputs pushed one after the other are merged.
 */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "model/profile.h"

/* The input is over: set wanted[i] to 1 for each thread i of the process to be taken, all 0 before.
 * -1: error. */
typedef int profile_threads(void *context, const struct strings *s, const struct profile_process *p,
			    unsigned char *wanted, struct error *err);

/* Which samples to take. All zero: all. */
struct profile_part {
	/* Those taken in [from_ns, to_ns) after the run began; to_ns 0: to its end. A sample stands
	 * for the time before it. */
	uint64_t from_ns, to_ns;
	/* When the run began, of which the inputs are parts, in the clock of start_ns; 0: when the
	 * input at hand did. */
	uint64_t run_ns;
	profile_threads *threads; /* NULL: of all threads */
	void *context;
	const char *threads_text; /* which ones, for people */
};

struct profile_builder;

struct profile_builder *profile_builder_new(struct error *err);
/* Before the first input: how to group, and which part to take. Inputs without times and threads are
 * an error if that is not all of them. */
void profile_builder_group(struct profile_builder *b, enum profile_by by);
int profile_builder_part(struct profile_builder *b, const struct profile_part *part,
			 struct error *err);
/* The sink to hand to decode_file, once per input. Valid as long as the builder. */
const struct event_sink *profile_builder_sink(struct profile_builder *b);
/*
 * Another builder, set up alike, has read inputs: to join makes it as if b had, after its own; the
 * other is of no use then, but to be freed. Can they? If not, they have something that is not just
 * added up, or not at all: to read these inputs again, into b, does the one or says the other.
 */
bool profile_builder_can_join(const struct profile_builder *b, const struct profile_builder *other);
int profile_builder_join(struct profile_builder *b, struct profile_builder *other,
			 struct error *err);
/* Done reading: the profile now belongs to the caller, the builder is freed. */
struct profile *profile_builder_finish(struct profile_builder *b, struct error *err);
void profile_builder_free(struct profile_builder *b); /* instead of finish, after an error */

#endif
