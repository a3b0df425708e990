/* SPDX-License-Identifier: MIT */
/*
 * builder_moments.c - keeps each sample with its time and thread, if that is wanted.
 *
 * In: samples of the current input. Out: struct moments of all inputs.
 */
#include "model/builder.h"

void builder_moments_begin(struct profile_builder *b, const struct event_process *e)
{
	struct recording *r = &b->current;

	for (size_t i = 0; i < BUILDER_STATES; i++)
		r->state_names[i] = STRINGS_NONE;
	r->moments.kept = b->profile->moments.kept;
	if (r->moments.kept && !e->kind->has_times)
		moments_drop(&r->moments, MOMENTS_UNTIMED);
}

int builder_moments_state(struct profile_builder *b, const struct event_state *e)
{
	bool ok = true;

	if (b->profile->moments.kept && e->number < BUILDER_STATES)
		b->current.state_names[e->number] = builder_text(b, e->name, &ok);
	return ok ? 0 : -1;
}

int builder_moments_add(struct profile_builder *b, const struct event_sample *e, uint32_t thread,
			uint32_t node)
{
	struct recording *r = &b->current;
	const struct profile_thread *t;

	if (r->moments.kept != MOMENTS_KEPT)
		return 0;
	t = builder_thread(b, thread);
	if (!t)
		return -1;
	const struct moment sample = {
		.time_ns = builder_clock_time(&r->process, e->time_us),
		.weight = e->weight,
		.node = node,
		.thread = (uint32_t)(t - r->process.threads),
		.state = e->state < BUILDER_STATES ? r->state_names[e->state] : STRINGS_NONE,
	};

	return moments_add(&r->moments, &sample);
}

static int merge_threads(struct profile_builder *b)
{
	struct profile *p = b->profile;
	const struct profile_process *process = &b->current.process;
	const struct event_text program = profile_program_of(p->strings, process);
	uint32_t name = strings_add(p->strings, program.bytes ? program.bytes : "", program.length);

	for (size_t i = 0; i < process->n_threads; i++) {
		const struct moments_thread thread = {
			.pid = process->pid,
			.tid = process->threads[i].tid ? process->threads[i].tid
						       : process->threads[i].id,
			.process_ns = process->start_ns,
			.name = process->threads[i].name,
			.program = name,
		};

		if (moments_add_thread(&p->moments, &thread))
			return -1;
	}
	return name == STRINGS_NONE ? -1 : 0;
}

int builder_moments_merge(struct profile_builder *b, const uint32_t *nodes)
{
	struct profile *p = b->profile;
	size_t first = p->moments.n_threads;

	if (!p->moments.kept)
		return 0;
	return merge_threads(b) ||
			       moments_join(&p->moments, &b->current.moments, first, nodes, NULL)
		       ? -1
		       : 0;
}
