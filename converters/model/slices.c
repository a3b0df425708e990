/* SPDX-License-Identifier: MIT */
/*
 * slices.c - keeps weights by slices of time, in as many slices as have room.
 *
 * In: weights with their times. Out: a table that grows, and whose slices grow longer.
 */
#include "model/slices.h"

#include <stdlib.h>
#include <string.h>

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
