/* SPDX-License-Identifier: MIT */
/*
 * moments.c - a list of samples with their times.
 *
 * In: samples. Out: the list, or why there is none.
 */
#include "model/moments.h"

#include <stdlib.h>

#include "base/array.h"

void moments_clear(struct moments *m)
{
	free(m->list);
	free(m->threads);
	*m = (struct moments){.kept = m->kept};
}

void moments_drop(struct moments *m, enum moments_kept why)
{
	moments_clear(m);
	m->kept = m->kept > why ? m->kept : why;
}

int moments_add(struct moments *m, const struct moment *sample)
{
	if (m->kept != MOMENTS_KEPT)
		return 0;
	if (m->n == MOMENTS_MOST) {
		moments_drop(m, MOMENTS_TOO_MANY);
		return 0;
	}
	if (!array_reserve(&m->list, &m->size, m->n + 1, sizeof(*m->list)))
		return -1;
	m->list[m->n++] = *sample;
	return 0;
}

int moments_add_thread(struct moments *m, const struct moments_thread *thread)
{
	if (m->kept != MOMENTS_KEPT)
		return 0;
	if (!array_reserve(&m->threads, &m->threads_size, m->n_threads + 1, sizeof(*m->threads)))
		return -1;
	m->threads[m->n_threads++] = *thread;
	return 0;
}

static uint32_t translated(const uint32_t *strings, uint32_t number)
{
	return strings && number != STRINGS_NONE ? strings[number] : number;
}

int moments_join(struct moments *m, const struct moments *other, size_t first_thread,
		 const uint32_t *nodes, const uint32_t *strings)
{
	if (other->kept > MOMENTS_KEPT)
		moments_drop(m, other->kept);
	for (size_t i = 0; i < other->n && m->kept == MOMENTS_KEPT; i++) {
		struct moment sample = other->list[i];

		sample.node = nodes ? nodes[sample.node] : sample.node;
		sample.thread += (uint32_t)first_thread;
		sample.state = translated(strings, sample.state);
		if (sample.node && moments_add(m, &sample))
			return -1;
	}
	return 0;
}

int moments_join_threads(struct moments *m, const struct moments *other, const uint32_t *strings)
{
	for (size_t i = 0; i < other->n_threads; i++) {
		struct moments_thread thread = other->threads[i];

		thread.name = translated(strings, thread.name);
		thread.program = translated(strings, thread.program);
		if (moments_add_thread(m, &thread))
			return -1;
	}
	return 0;
}
