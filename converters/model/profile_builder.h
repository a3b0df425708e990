/* SPDX-License-Identifier: MIT */
/*
 * profile_builder.h - makes a profile of events.
 *
 * The builder is an event sink. It merges the inputs that are pushed to it one after the other.
 */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "model/profile.h"

/* Called when an input is over: set wanted[i] to 1 for each thread i of the process that is
 * selected; all are 0 before. -1: error. */
typedef int profile_threads(void *context, const struct strings *s, const struct profile_process *p,
			    unsigned char *wanted, struct error *err);

/* Which samples are selected. If all is zero, all samples are. */
struct profile_part {
	/* Samples in [from_ns, to_ns) after the beginning of the run; to_ns 0: to its end. A sample
	 * stands for the time before it. */
	uint64_t from_ns, to_ns;
	/* When the run that the inputs are parts of began, in the clock of start_ns; 0: when the
	 * input began. */
	uint64_t run_ns;
	profile_threads *threads; /* NULL: of all threads */
	void *context;
	const char *threads_text; /* the selection as text, for messages */
};

struct profile_builder;

struct profile_builder *profile_builder_new(struct error *err);
/* Set the grouping and the selection before the first input. An input without times and threads is
 * an error if the selection needs them. */
void profile_builder_group(struct profile_builder *b, enum profile_by by);
int profile_builder_part(struct profile_builder *b, const struct profile_part *part,
			 struct error *err);
/* The sink that is handed to decode_file for each input. It is valid as long as the builder. */
const struct event_sink *profile_builder_sink(struct profile_builder *b);
/* Another builder with the same settings has read other inputs. profile_builder_join adds them to b
 * as if b had read them after its own; `other` can only be freed then. This is possible only if
 * profile_builder_can_join says so. If it is not, the inputs have to be read again, into b: then
 * they are added up, or an error says why they cannot be. */
bool profile_builder_can_join(const struct profile_builder *b, const struct profile_builder *other);
int profile_builder_join(struct profile_builder *b, struct profile_builder *other,
			 struct error *err);
/* All inputs are read: the caller owns the profile, and the builder is freed. NULL: error. */
struct profile *profile_builder_finish(struct profile_builder *b, struct error *err);
void profile_builder_free(struct profile_builder *b); /* instead of finish, after an error */

#endif
