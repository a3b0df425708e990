/* SPDX-License-Identifier: MIT */
/*
 * page_times.c - which thread has used how much when, and where, in the form in which a page holds it.
 *
 * In: the samples with their times. Out: numbers, as in page_data.c.
 *
 *	duration   of the run in ns, 0: nothing is known, and nothing follows
 *	slices     into how many equal ones it is divided
 *	threads    their number; of each: name, program, process, thread
 *	marks      their number; of each: ns since the beginning, name
 *	parts      of each column: their number, and their threads, slices, nodes and weights
 *
 * A part is what a thread has used at a node in a slice of time. Parts are sorted by thread, slice and node. Each
 * of these is written as the difference to the part before, and from 0 on when one of the former has changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "page/page.h"

#define SLICES	   256u
#define PARTS_MOST 1000000u /* of a column; with more the slices become longer */
#define MARKS_MOST 500u

struct part {
	uint32_t thread, slice, node;
	uint64_t weight;
};

struct times {
	const struct profile *profile;
	const struct tree *tree;
	struct protobuf *data;
	uint64_t begin_ns, end_ns;
	uint32_t n_slices;
	struct strings *threads;	  /* "PID START TID" of each */
	const struct moments_thread **of; /* by the number of that */
	size_t of_size;
};

struct parts {
	struct part *list;
	size_t n;
};

static size_t count_columns(const struct times *t)
{
	return 1 + t->tree->n_others;
}

static const struct moments *moments_of(const struct times *t, size_t column)
{
	return t->profile->n_columns ? &t->profile->columns[column].moments : &t->profile->moments;
}

/* ---- threads and times ----------------------------------------------------------------------- */

static uint32_t thread_number(struct times *t, const struct moments_thread *thread)
{
	char key[3 * 20 + 3];
	int n = snprintf(key, sizeof(key), "%" PRIu64 " %" PRIu64 " %" PRIu64, thread->pid,
			 thread->process_ns, thread->tid);
	uint32_t number = strings_add(t->threads, key, (size_t)n);

	if (number == STRINGS_NONE ||
	    !array_reserve(&t->of, &t->of_size, (size_t)number + 1, sizeof(*t->of)))
		return STRINGS_NONE;
	t->of[number] = thread;
	return number;
}

static int find_threads(struct times *t)
{
	for (size_t i = 0; i < count_columns(t); i++) {
		const struct moments *m = moments_of(t, i);

		for (size_t k = 0; k < m->n_threads; k++)
			if (thread_number(t, &m->threads[k]) == STRINGS_NONE)
				return -1;
	}
	return 0;
}

static void find_times(struct times *t)
{
	t->begin_ns = UINT64_MAX;
	for (size_t i = 0; i < count_columns(t); i++) {
		const struct moments *m = moments_of(t, i);

		for (size_t k = 0; k < m->n; k++) {
			const struct moment *at = &m->list[k];
			uint64_t begin = m->threads[at->thread].process_ns;

			begin = begin && begin < at->time_ns ? begin : at->time_ns;
			t->begin_ns = begin < t->begin_ns ? begin : t->begin_ns;
			t->end_ns = at->time_ns > t->end_ns ? at->time_ns : t->end_ns;
		}
	}
}

/* Nothing is known if an input has no times, or if there are too many samples. */
static bool are_known(const struct times *t)
{
	bool known = t->tree->of_profile;

	for (size_t i = 0; i < count_columns(t); i++)
		known = known && moments_of(t, i)->kept == MOMENTS_KEPT;
	return known && t->begin_ns < t->end_ns;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->slice != y->slice)
		return x->slice < y->slice ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool is_same(const struct part *a, const struct part *b)
{
	return compare(a, b) == 0;
}

/* Sort, and add up parts that have become one. */
static void join(struct parts *p)
{
	size_t to = 0;

	qsort(p->list, p->n, sizeof(*p->list), compare);
	for (size_t i = 1; i < p->n; i++)
		if (is_same(&p->list[to], &p->list[i]))
			p->list[to].weight += p->list[i].weight;
		else
			p->list[++to] = p->list[i];
	p->n = p->n ? to + 1 : 0;
}

static int collect(struct times *t, size_t column, struct parts *p)
{
	const struct moments *m = moments_of(t, column);
	unsigned __int128 lasts = (unsigned __int128)(t->end_ns - t->begin_ns) + 1;

	p->list = malloc((m->n + 1) * sizeof(*p->list));
	if (!p->list)
		return -1;
	for (size_t i = 0; i < m->n; i++) {
		const struct moment *at = &m->list[i];
		uint32_t node = t->tree->of_profile[at->node];

		if (node == TREE_NO_NODE || !at->weight)
			continue;
		p->list[p->n++] = (struct part){
			.thread = thread_number(t, &m->threads[at->thread]),
			.slice = (uint32_t)((at->time_ns - t->begin_ns) *
					    (unsigned __int128)t->n_slices / lasts),
			.node = node,
			.weight = at->weight,
		};
	}
	join(p);
	return 0;
}

/* Half as many slices. */
static void halve(struct times *t, struct parts *parts, size_t n)
{
	t->n_slices /= 2;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < parts[i].n; k++)
			parts[i].list[k].slice /= 2;
		join(&parts[i]);
	}
}

static bool are_too_many(const struct parts *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].n > PARTS_MOST)
			return true;
	return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void string(struct times *t, uint32_t of)
{
	size_t n = 0;
	const char *bytes = of == STRINGS_NONE ? "" : strings_get(t->profile->strings, of, &n);

	protobuf_packed_bytes(t->data, bytes, n);
}

static void write_threads(struct times *t)
{
	size_t n = strings_count(t->threads);

	protobuf_packed(t->data, n);
	for (size_t i = 0; i < n; i++) {
		size_t length = 0;

		if (t->of[i]->name != STRINGS_NONE)
			strings_get(t->profile->strings, t->of[i]->name, &length);
		string(t, length ? t->of[i]->name : t->of[i]->program);
		string(t, t->of[i]->program);
		protobuf_packed(t->data, t->of[i]->pid);
		protobuf_packed(t->data, t->of[i]->tid);
	}
}

/* Whether the mark is in the time that is shown; *ns becomes its time. */
static bool is_shown(const struct times *t, const struct profile_process *process,
		     const struct profile_mark *mark, uint64_t *ns)
{
	if (__builtin_mul_overflow(mark->time_us, 1000, ns) ||
	    __builtin_add_overflow(*ns, process->start_ns, ns))
		return false;
	return *ns >= t->begin_ns && *ns <= t->end_ns;
}

static void write_marks(struct times *t)
{
	uint64_t ns, count = 0;

	for (int writes = 0; writes < 2; writes++) {
		uint64_t left = MARKS_MOST;

		if (writes)
			protobuf_packed(t->data, count);
		for (size_t i = 0; i < t->profile->n_processes; i++) {
			const struct profile_process *process = &t->profile->processes[i];

			for (size_t k = 0; left && k < process->n_marks; k++) {
				if (!is_shown(t, process, &process->marks[k], &ns))
					continue;
				left--;
				count += !writes;
				if (!writes)
					continue;
				protobuf_packed(t->data, ns - t->begin_ns);
				string(t, process->marks[k].name);
			}
		}
	}
}

static void write_parts(struct times *t, const struct parts *p)
{
	const struct part *of = p->list;

	protobuf_packed(t->data, p->n);
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].thread - (i ? of[i - 1].thread : 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].slice - (i && of[i].thread == of[i - 1].thread
								? of[i - 1].slice
								: 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data,
				of[i].node - (i && of[i].thread == of[i - 1].thread &&
							      of[i].slice == of[i - 1].slice
						      ? of[i - 1].node
						      : 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].weight);
}

static int write_all(struct times *t, struct parts *parts)
{
	size_t n = count_columns(t);

	for (size_t i = 0; i < n; i++)
		if (collect(t, i, &parts[i]))
			return -1;
	while (t->n_slices > 1 && are_too_many(parts, n))
		halve(t, parts, n);
	if (are_too_many(parts, n)) {
		protobuf_packed(t->data, 0);
		return 0;
	}
	protobuf_packed(t->data, t->end_ns - t->begin_ns);
	protobuf_packed(t->data, t->n_slices);
	write_threads(t);
	write_marks(t);
	for (size_t i = 0; i < n; i++)
		write_parts(t, &parts[i]);
	return 0;
}

void page_times(struct protobuf *data, const struct view_input *in, bool is_compared)
{
	struct times t = {
		.profile = in->profile,
		.tree = in->tree,
		.data = data,
		.n_slices = SLICES,
		.threads = strings_new(),
	};
	struct parts *parts = calloc(count_columns(&t), sizeof(*parts));

	find_times(&t);
	if (is_compared || !are_known(&t) || t.tree->unit == TREE_HITS)
		protobuf_packed(data, 0);
	else if (!t.threads || !parts || find_threads(&t) || write_all(&t, parts))
		data->is_out_of_memory = true;
	for (size_t i = 0; parts && i < count_columns(&t); i++)
		free(parts[i].list);
	free(parts);
	free(t.of);
	strings_free(t.threads);
}
