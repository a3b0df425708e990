/* SPDX-License-Identifier: MIT */
/*
 * builder_join.h - makes one profile of the events of several inputs.
 *
 * The builder is an event sink. It merges the inputs that are pushed to it one after the other.
 */
#ifndef MODEL_BUILDER_JOIN_H
#define MODEL_BUILDER_JOIN_H

#include "model/profile.h"

/* Called when an input is over: set wanted[i] to 1 for each thread i of the process that is
 * selected; all are 0 before. -1: error. */
typedef int profile_threads(void *context, const struct strings *s, const struct profile_process *p,
			    unsigned char *wanted, struct error *err);

/* Called for each state of samples that an input has. Returns whether it is selected. */
typedef bool profile_state(void *context, struct event_text name);

/* Which samples are selected. If all is zero, all samples are. */
struct profile_part {
	/* Samples in [from_ns, to_ns) after the beginning of the run; to_ns 0: to its end. A sample
	 * stands for the time before it. */
	uint64_t from_ns, to_ns;
	/* When the run that the inputs are parts of began, in the clock of start_ns; 0: when the
	 * input began. */
	uint64_t run_ns;
	struct event_at at;	  /* when memory is live, for headings: decoders select it */
	profile_threads *threads; /* NULL: of all threads */
	profile_state *state;	  /* NULL: of all states, and those without a state */
	void *context;
	const char *threads_text, *states_text; /* the selection as text, for messages */
};

/* What is kept beside the sums of weights. */
struct profile_keeps {
	bool times, moments, squares;
};

struct profile_builder;

struct profile_builder *profile_builder_new(struct error *err);
/* Set the grouping and the selection before the first input. An input without times and threads is
 * an error if the selection needs them. */
void profile_builder_group(struct profile_builder *b, enum profile_by by);
/* Likewise: let stacks of samples that were taken in the kernel end in a frame for that. */
void profile_builder_show_kernel(struct profile_builder *b, bool shows);
/* Likewise: add up the squares of weights. */
void profile_builder_want_squares(struct profile_builder *b);
/* Likewise: keep when each thread used how much, and each sample with its time (moments.h). */
void profile_builder_time(struct profile_builder *b, struct profile_keeps keeps);
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
/* Each of the n builders has read one resource: `all`, which has the same settings and has read
 * nothing, gets a column for each. The others can only be freed then. An error if one of them has
 * calls without stacks. */
int profile_builder_columns(struct profile_builder *all, struct profile_builder **list, size_t n,
			    struct error *err);
/* The same for n runs of a program, of which the first n_base are compared with the others. The list has a builder for each
 * run of the first resource, then for each of the second one, and so on. The processes of all runs are kept. An error
 * if not all runs count a resource in the same unit. */
int profile_builder_runs(struct profile_builder *all, struct profile_builder **list,
			 size_t n_resources, size_t n, size_t n_base, struct error *err);
/* All inputs are read: the caller owns the profile, and the builder is freed. NULL: error. */
struct profile *profile_builder_finish(struct profile_builder *b, struct error *err);
void profile_builder_free(struct profile_builder *b); /* instead of finish, after an error */

#endif
