/* SPDX-License-Identifier: MIT */
/*
 * builder_selection.c - selects samples by time, by state and by thread.
 *
 * In: times, states, threads. Out: whether a sample is selected. A thread's name may come after its
 * samples, so that threads are selected when the input is over.
 */
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"

/* Keep the text of a selection in the profile. */
static int keep_text(struct profile_builder *b, const char *text, const char **kept,
		     struct error *err)
{
	struct strings *strings = b->profile->strings;
	uint32_t number = strings_add(strings, text, strlen(text));

	if (number == STRINGS_NONE)
		return error_memory(err);
	*kept = strings_get(strings, number, NULL);
	return 0;
}

int profile_builder_part(struct profile_builder *b, const struct profile_part *part,
			 struct error *err)
{
	struct profile *p = b->profile;

	b->part = *part;
	p->from_ns = part->from_ns;
	p->to_ns = part->to_ns;
	p->at = part->at;
	if (part->threads && keep_text(b, part->threads_text, &p->threads, err))
		return -1;
	return part->state ? keep_text(b, part->states_text, &p->states, err) : 0;
}

static bool has_times(const struct profile_builder *b)
{
	return b->part.from_ns || b->part.to_ns;
}

int builder_part_process(struct profile_builder *b, const struct event_process *e,
			 struct error *err)
{
	bool is_later = b->part.run_ns && e->start_ns > b->part.run_ns;

	b->current.after_ns = is_later ? e->start_ns - b->part.run_ns : 0;
	if (b->part.threads && !e->kind->has_threads)
		return error_set(err, "%s: has no threads: --thread needs recordings", e->file);
	if (has_times(b) && !e->kind->has_times)
		return error_set(err, "%s: has no times: --from and --to need recordings", e->file);
	return 0;
}

/* A time that does not fit, as a forged input may have it, becomes the largest one. */
static uint64_t run_time(const struct profile_builder *b, uint64_t time_us)
{
	uint64_t ns;

	if (__builtin_mul_overflow(time_us, 1000, &ns) ||
	    __builtin_add_overflow(ns, b->current.after_ns, &ns))
		return UINT64_MAX;
	return ns;
}

bool builder_part_takes(const struct profile_builder *b, const struct event_sample *e)
{
	uint64_t ns;

	if (b->part.state && !(e->state < BUILDER_STATES && b->current.takes_state[e->state]))
		return false;
	if (!has_times(b))
		return true;
	ns = run_time(b, e->time_us);
	return ns >= b->part.from_ns && (!b->part.to_ns || ns < b->part.to_ns);
}

int builder_state(void *context, const struct event_state *e, struct error *err)
{
	struct profile_builder *b = context;

	if (builder_moments_state(b, e))
		return error_memory(err);
	if (b->part.state && e->number < BUILDER_STATES)
		b->current.takes_state[e->number] = b->part.state(b->part.context, e->name);
	return 0;
}

bool builder_has_threads(const struct profile_builder *b)
{
	return b->by == PROFILE_BY_THREAD || b->part.threads;
}

/* Drop the nodes below which no sample was selected. */
static void drop_unused(const struct cct *paths, unsigned char *dropped)
{
	memset(dropped, 1, paths->n_nodes);
	for (size_t i = paths->n_nodes; --i > 0;) {
		const struct profile_node *node = &paths->nodes[i];

		dropped[i] &= !node->self_weight && !node->self_hits;
		dropped[node->parent] &= dropped[i];
	}
}

/* Drop the trees of threads that are not selected. A node below the root is a thread, and all nodes
 * below it belong to this thread. */
static void drop_threads(struct profile_builder *b, const unsigned char *wanted,
			 unsigned char *dropped)
{
	const struct recording *r = &b->current;

	for (size_t i = 1; i < r->paths->n_nodes; i++) {
		const struct profile_node *node = &r->paths->nodes[i];
		uint32_t id = node->parent ? 0 : builder_base_thread(r, (uint32_t)i);

		dropped[i] |= node->parent ? dropped[node->parent]
					   : !wanted[id_table_find(r->threads, id)];
		if (!dropped[i])
			continue;
		b->profile->weight -= node->self_weight;
		b->profile->hits -= node->self_hits;
	}
}

static int choose_threads(struct profile_builder *b, unsigned char *dropped, struct error *err)
{
	struct recording *r = &b->current;
	unsigned char *wanted = calloc(r->process.n_threads + 1, 1);
	int status;

	if (!wanted)
		return error_memory(err);
	status = b->part.threads(b->part.context, b->profile->strings, &r->process, wanted, err);
	if (!status)
		drop_threads(b, wanted, dropped);
	for (size_t i = 0; !status && i < r->process.n_threads; i++)
		if (!wanted[i])
			slices_clear(&r->process.threads[i].times);
	free(wanted);
	return status;
}

int builder_part_nodes(struct profile_builder *b, unsigned char **dropped, struct error *err)
{
	const struct cct *paths = b->current.paths;

	*dropped = NULL;
	if (!b->part.threads && !b->part.state && !has_times(b))
		return 0;
	*dropped = calloc(paths->n_nodes, 1);
	if (!*dropped)
		return error_memory(err);
	if (b->part.state || has_times(b))
		drop_unused(paths, *dropped);
	if (!b->part.threads || !choose_threads(b, *dropped, err))
		return 0;
	free(*dropped);
	return -1;
}
