/* SPDX-License-Identifier: MIT */
/*
 * moments.c - samples and weights in order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/moments.h"

/* ---- moments --------------------------------------------------------------------------------- */

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

/* ---- slices ---------------------------------------------------------------------------------- */

#define SHIFT_LEAST 20 /* slices of a millisecond */
#define SHIFT_MOST  63

static uint64_t minimum(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t maximum(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Make each two slices one. */
static void coarsen(struct slices *s)
{
	uint64_t first = s->first / 2;
	uint32_t n = s->n ? (uint32_t)((s->first + s->n - 1) / 2 - first + 1) : 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t weight = s->weights[i];
		uint32_t to = (uint32_t)((s->first + i) / 2 - first);

		s->weights[i] = 0;
		s->weights[to] += weight;
	}
	s->first = first;
	s->n = n;
	s->shift++;
}

/* Make room for the slices of these two times. */
static int cover(struct slices *s, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first, last;

	if (!s->weights) {
		*s = (struct slices){.shift = SHIFT_LEAST};
		s->weights = calloc(SLICES_MOST, sizeof(*s->weights));
		if (!s->weights)
			return -1;
		s->first = from_ns >> s->shift;
	}
	for (;; coarsen(s)) {
		first = from_ns >> s->shift;
		last = to_ns >> s->shift;
		if (s->n) {
			first = minimum(first, s->first);
			last = maximum(last, s->first + s->n - 1);
		}
		if (last - first < SLICES_MOST || s->shift == SHIFT_MOST)
			break;
	}
	if (s->n && first < s->first) {
		memmove(s->weights + (s->first - first), s->weights, s->n * sizeof(*s->weights));
		memset(s->weights, 0, (s->first - first) * sizeof(*s->weights));
	}
	s->first = first;
	s->n = (uint32_t)(last - first + 1);
	return 0;
}

int slices_add(struct slices *s, uint64_t from_ns, uint64_t to_ns, uint64_t weight)
{
	uint64_t last = to_ns > from_ns ? to_ns - 1 : to_ns, begin, rest = weight;

	if (!weight)
		return 0;
	if (cover(s, minimum(from_ns, last), last))
		return -1;
	for (uint64_t i = from_ns >> s->shift; i < last >> s->shift; i++) {
		uint64_t part;

		begin = maximum(from_ns, i << s->shift);
		part = (uint64_t)((unsigned __int128)weight * (((i + 1) << s->shift) - begin) /
				  (to_ns - from_ns));
		s->weights[i - s->first] += part;
		rest -= part;
	}
	s->weights[(last >> s->shift) - s->first] += rest;
	return 0;
}

int slices_join(struct slices *s, const struct slices *other)
{
	for (uint32_t i = 0; i < other->n; i++) {
		uint64_t begin = (other->first + i) << other->shift;

		if (slices_add(s, begin, begin + ((UINT64_C(1) << other->shift) - 1),
			       other->weights[i]))
			return -1;
	}
	return 0;
}

double slices_between(const struct slices *s, uint64_t from_ns, uint64_t to_ns)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		double begin = (double)((s->first + i) << s->shift);
		double length = (double)(UINT64_C(1) << s->shift);
		double from = begin > (double)from_ns ? begin : (double)from_ns;
		double to = begin + length < (double)to_ns ? begin + length : (double)to_ns;

		if (to > from)
			sum += (double)s->weights[i] * ((to - from) / length);
	}
	return sum;
}

void slices_clear(struct slices *s)
{
	free(s->weights);
	*s = (struct slices){0};
}
