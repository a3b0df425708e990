/* SPDX-License-Identifier: MIT */
/*
 * thread_uses.h - what each thread has used of what is shown.
 *
 * In: a profile; with --focus or --ignore also its samples and the tree. Out: weights, samples, times.
 *
 * What is shown is the part of the run and the states and threads that were selected, and of that the
 * samples whose stacks the filter has kept. So what all threads have used is what the heading of the
 * view says.
 */
#ifndef VIEW_THREAD_USES_H
#define VIEW_THREAD_USES_H

#include "base/stop.h"
#include "model/moments.h"
#include "write/view_input.h"

struct thread_use {
	const struct profile_thread *thread;
	size_t process;	       /* index in profile.processes */
	uint64_t weight, hits; /* weight: gticks */
	struct slices times;   /* empty unless they are wanted */
};

struct thread_uses {
	struct thread_use *list; /* by process, the threads of each in order of appearance */
	size_t n;
	uint64_t weight; /* of all */
	bool is_part;	 /* threads without a sample that is shown are not listed */
};

/* Fills *u; thread_uses_free it in any case. -1: memory, or the input does not say which of the samples
 * that the filter keeps are of which thread. */
int thread_uses_find(struct thread_uses *u, const struct view_input *in, bool with_times,
		     struct error *err);
void thread_uses_free(struct thread_uses *u);

/* Add when all threads have used how much of one of several resources. -1: as above. */
int thread_uses_of_column(struct slices *times, const struct view_input *in, size_t column,
			  struct error *err);

#endif
