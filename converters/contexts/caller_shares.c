/* SPDX-License-Identifier: MIT */
/*
 * caller_shares.c - compares the callers' shares of a function's calls with those of its time.
 *
 * In: arcs with calls and times. Out: functions with several callers.
 */
#include "contexts/caller_shares.h"

#include <stdlib.h>

#include "contexts/arc_times.h"

/* Scale the number of calls down to 64 bits. If it needs more, its lowest bits do not matter. */
static uint64_t scaled(const struct caller_shares_function *f, unsigned __int128 calls)
{
	return (uint64_t)(calls >> f->shift);
}

double caller_shares_of_calls(const struct caller_shares_function *f,
			      const struct caller_shares_arc *a)
{
	return f->calls ? (double)a->calls / (double)f->calls : 0;
}

double caller_shares_of_time(const struct caller_shares_function *f,
			     const struct caller_shares_arc *a)
{
	return f->time ? (double)a->time / (double)f->time : 0;
}

/* Returns the misplaced time times the number of calls. It is an integer, so that equal ones
 * compare as equal. */
static unsigned __int128 difference(const struct caller_shares_function *f,
				    const struct caller_shares_arc *a)
{
	unsigned __int128 by_calls = (unsigned __int128)scaled(f, a->calls) * f->time;
	unsigned __int128 by_time = (unsigned __int128)scaled(f, f->calls) * a->time;

	return by_calls > by_time ? by_calls - by_time : by_time - by_calls;
}

double caller_shares_misplaced(const struct caller_shares_function *f,
			       const struct caller_shares_arc *a)
{
	return f->calls ? (double)difference(f, a) / (double)scaled(f, f->calls) : (double)a->time;
}

uint64_t caller_shares_by_calls(const struct caller_shares_function *f,
				const struct caller_shares_arc *a)
{
	unsigned __int128 product = (unsigned __int128)scaled(f, a->calls) * f->time;
	uint64_t calls = scaled(f, f->calls), rest;

	if (calls == 0)
		return 0;
	rest = (uint64_t)(product % calls);
	return (uint64_t)(product / calls) + (rest >= calls - rest);
}

static int compare_callees(const void *a, const void *b)
{
	const struct caller_shares_arc *x = a, *y = b;

	return (x->callee > y->callee) - (x->callee < y->callee);
}

static int compare_callers(const void *a, const void *b, void *function)
{
	const struct caller_shares_arc *x = a, *y = b;
	unsigned __int128 of_x = difference(function, x), of_y = difference(function, y);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return (x->caller > y->caller) - (x->caller < y->caller);
}

static int compare_functions(const void *a, const void *b)
{
	const struct caller_shares_function *x = a, *y = b;

	if (x->misplaced != y->misplaced)
		return x->misplaced < y->misplaced ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static size_t drop_idle(struct caller_shares_arc *arcs, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (arcs[i].caller != arcs[i].callee && (arcs[i].calls || arcs[i].time))
			arcs[kept++] = arcs[i];
	return kept;
}

static int add_function(struct caller_shares *s, size_t first, size_t n, struct error *err)
{
	struct caller_shares_function *f = &s->functions[s->n++];
	size_t i;

	*f = (struct caller_shares_function){
		.function = s->arcs[first].callee, .first = first, .n = n};
	for (i = first; i < first + n; i++)
		if (__builtin_add_overflow(f->calls, s->arcs[i].calls, &f->calls) ||
		    __builtin_add_overflow(f->time, s->arcs[i].time, &f->time))
			return error_set(err, "the times of calls do not fit in 64 bits");
	while (f->calls >> f->shift > UINT64_MAX)
		f->shift++;
	qsort_r(s->arcs + first, n, sizeof(*s->arcs), compare_callers, f);
	f->misplaced = caller_shares_misplaced(f, &s->arcs[first]);
	return 0;
}

int caller_shares_build(struct caller_shares *s, struct caller_shares_arc *arcs, size_t n,
			struct error *err)
{
	size_t first, end;

	*s = (struct caller_shares){.arcs = arcs};
	n = drop_idle(arcs, n);
	s->functions = calloc(n / 2 + 1, sizeof(*s->functions));
	if (!s->functions)
		return error_memory(err);
	if (n > 0)
		qsort(arcs, n, sizeof(*arcs), compare_callees);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && arcs[end].callee == arcs[first].callee; end++)
			;
		if (end - first > 1 && add_function(s, first, end - first, err))
			return -1;
	}
	qsort(s->functions, s->n, sizeof(*s->functions), compare_functions);
	return 0;
}

void caller_shares_free(struct caller_shares *s)
{
	free(s->arcs);
	free(s->functions);
}

/* Both arrays are in the order of names, but `times` has no arcs from a function to itself. */
static void add_times(struct caller_shares_arc *arcs, const struct graph *g,
		      const struct arc_times *times)
{
	size_t i, k = 0;

	for (i = 0; i < g->n_arcs; i++) {
		arcs[i].calls = g->arcs[i].occurrences;
		if (arcs[i].caller == arcs[i].callee)
			continue;
		arcs[i].time = times->arcs[k].self2 + times->arcs[k].child2;
		k++;
	}
}

static int measure(struct caller_shares_arc *arcs, const struct graph *g, struct error *err)
{
	struct arc_times *times;
	size_t i;

	for (i = 0; i < g->n_arcs; i++)
		arcs[i] = (struct caller_shares_arc){
			.caller = g->arcs[i].caller,
			.callee = g->arcs[i].callee,
			.calls = g->arcs[i].calls,
			.time = g->arcs[i].weight,
		};
	if (!g->tree)
		return 0;
	times = arc_times_build(g->tree, err);
	if (!times)
		return -1;
	add_times(arcs, g, times);
	arc_times_free(times);
	return 0;
}

int caller_shares_of_graph(struct caller_shares *s, const struct graph *g, struct error *err)
{
	struct caller_shares_arc *arcs = malloc((g->n_arcs + 1) * sizeof(*arcs));

	*s = (struct caller_shares){0};
	if (!arcs)
		return error_memory(err);
	if (!measure(arcs, g, err))
		return caller_shares_build(s, arcs, g->n_arcs, err);
	free(arcs);
	return -1;
}
