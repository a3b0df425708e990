/* SPDX-License-Identifier: MIT */
/*
 * thread_uses.c - what each thread has used of what is shown.
 */
#include "view/thread_uses.h"

#include <stdlib.h>
#include <string.h>

/* Whether the filter drops samples. One that only hides functions does not. */
static bool drops_samples(const struct view_input *in)
{
	const struct filter *f = in->tree ? in->tree->filter : NULL;

	return f && filter_drops(f);
}

static const struct moments *moments_of(const struct profile *p, size_t column)
{
	return p->n_columns ? &p->columns[column].moments : &p->moments;
}

/* A sample with a unit of time stands for the time before it, in which its process was there. */
static int add_time(struct slices *times, const struct moments *m, const struct moment *sample,
		    bool is_time)
{
	uint64_t to = sample->time_ns, before = to - m->threads[sample->thread].process_ns;

	if (!is_time)
		before = 0;
	return slices_add(times, to - (sample->weight < before ? sample->weight : before), to,
			  sample->weight);
}

static bool is_kept(const struct view_input *in, uint32_t node)
{
	return in->tree->of_profile && in->tree->of_profile[node] != TREE_NO_NODE;
}

static int refuse(const struct moments *m, struct error *err)
{
	if (m->kept == MOMENTS_TOO_MANY)
		return error_usage(err,
				   "--focus and --ignore tell the samples of threads apart if "
				   "there are at most %u: take fewer with --from and --to",
				   MOMENTS_MOST);
	return error_usage(err, "--focus and --ignore: the input does not say when its threads had "
				"which samples");
}

/* ---- what the filter keeps -------------------------------------------------------------------- */

/* The threads of the moments are those of all processes, in the same order. */
static int add_kept(struct thread_uses *u, const struct view_input *in, bool with_times,
		    struct error *err)
{
	const struct profile *p = in->profile;
	const struct moments *m = moments_of(p, 0);

	if (m->kept != MOMENTS_KEPT || m->n_threads != u->n)
		return refuse(m, err);
	for (size_t i = 0; i < m->n; i++) {
		struct thread_use *use = &u->list[m->list[i].thread];

		if (!is_kept(in, m->list[i].node))
			continue;
		if (m->list[i].hits == UINT32_MAX)
			return error_usage(err,
					   "--focus and --ignore: an input has 2^32 samples in "
					   "one line, of which threads cannot be told");
		use->weight += m->list[i].weight;
		use->hits += m->list[i].hits;
		if (with_times &&
		    add_time(&use->times, m, &m->list[i], profile_text_is(p, p->unit, "ns")))
			return error_memory(err);
	}
	return 0;
}

/* All samples are of one thread, whenever they were. */
static void add_alone(struct thread_use *use, const struct view_input *in)
{
	const struct profile *p = in->profile;

	for (uint32_t i = 1; i < p->n_nodes; i++)
		if (is_kept(in, i)) {
			use->weight += p->nodes[i].self_weight;
			use->hits += p->nodes[i].self_hits;
		}
}

/* ---- all threads ------------------------------------------------------------------------------ */

static int add_selected(struct thread_uses *u, bool with_times, struct error *err)
{
	for (size_t i = 0; i < u->n; i++) {
		struct thread_use *use = &u->list[i];

		use->weight = use->thread->shown_weight;
		use->hits = use->thread->shown_hits;
		if (with_times && slices_join(&use->times, &use->thread->times))
			return error_memory(err);
	}
	return 0;
}

static int list_threads(struct thread_uses *u, const struct profile *p, struct error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_processes; i++)
		n += p->processes[i].n_threads;
	u->list = calloc(n + 1, sizeof(*u->list));
	for (size_t i = 0; u->list && i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_threads; k++)
			u->list[u->n++] = (struct thread_use){.thread = &p->processes[i].threads[k],
							      .process = i};
	return u->list ? 0 : error_memory(err);
}

/* Leave out threads of which nothing is shown. */
static void leave_out(struct thread_uses *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++) {
		if (u->list[i].weight || u->list[i].hits)
			u->list[n++] = u->list[i];
		else
			slices_clear(&u->list[i].times);
	}
	u->n = n;
}

int thread_uses_find(struct thread_uses *u, const struct view_input *in, bool with_times,
		     struct error *err)
{
	const struct profile *p = in->profile;
	int status = 0;

	*u = (struct thread_uses){.is_part = drops_samples(in) || p->threads || p->states ||
					     p->from_ns || p->to_ns};
	if (list_threads(u, p, err))
		return -1;
	if (!drops_samples(in))
		status = add_selected(u, with_times, err);
	else if (u->n == 1 && !with_times)
		add_alone(u->list, in);
	else
		status = add_kept(u, in, with_times, err);
	for (size_t i = 0; i < u->n; i++)
		u->weight += u->list[i].weight; /* the builder has checked the sum */
	if (u->is_part)
		leave_out(u);
	return status;
}

void thread_uses_free(struct thread_uses *u)
{
	for (size_t i = 0; i < u->n; i++)
		slices_clear(&u->list[i].times);
	free(u->list);
	*u = (struct thread_uses){0};
}

int thread_uses_of_column(struct slices *times, const struct view_input *in, size_t column,
			  struct error *err)
{
	const struct profile *p = in->profile;
	const struct moments *m = moments_of(p, column);

	if (!drops_samples(in))
		return slices_join(times, &p->columns[column].times) ? error_memory(err) : 0;
	if (m->kept != MOMENTS_KEPT)
		return refuse(m, err);
	for (size_t i = 0; i < m->n; i++)
		if (is_kept(in, m->list[i].node) &&
		    add_time(times, m, &m->list[i],
			     profile_text_is(p, p->columns[column].unit, "ns")))
			return error_memory(err);
	return 0;
}
