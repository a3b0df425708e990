/* SPDX-License-Identifier: MIT */
/*
 * builder_time.c - keeps when each thread used how much.
 *
 * In: samples. Out: slices of time for each thread. A sample stands for the time before it: as much as
 * it weighs, if that is a time.
 */
#include <string.h>

#include "model/builder.h"

void profile_builder_time(struct profile_builder *b, struct profile_keeps keeps)
{
	b->profile->has_times = keeps.times;
	b->profile->moments.kept = keeps.moments ? MOMENTS_KEPT : MOMENTS_NOT_WANTED;
}

/* A time that does not fit, as a forged input may have it, becomes the largest one. */
uint64_t builder_clock_time(const struct profile_process *p, uint64_t time_us)
{
	uint64_t ns;

	if (__builtin_mul_overflow(time_us, 1000, &ns) ||
	    __builtin_add_overflow(ns, p->start_ns, &ns))
		return UINT64_MAX;
	return ns;
}

int builder_time(struct profile_builder *b, const struct event_sample *e, uint32_t thread,
		 uint32_t node)
{
	const struct profile *p = b->profile;
	uint64_t to, before;
	struct profile_thread *t;

	if (builder_moments_add(b, e, thread, node))
		return -1;
	if (!p->has_times)
		return 0;
	t = builder_thread(b, thread);
	if (!t)
		return -1;
	to = builder_clock_time(&b->current.process, e->time_us);
	before = to - b->current.process.start_ns;
	if (strcmp(strings_get(p->strings, p->unit, NULL), "ns") != 0)
		before = 0;
	return slices_add(&t->times, to - (e->weight < before ? e->weight : before), to, e->weight);
}

int builder_time_column(struct profile_column *c, const struct profile *of)
{
	for (size_t i = 0; of->has_times && i < of->n_processes; i++)
		for (size_t k = 0; k < of->processes[i].n_threads; k++)
			if (slices_join(&c->times, &of->processes[i].threads[k].times))
				return -1;
	return 0;
}
