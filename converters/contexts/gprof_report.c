/* SPDX-License-Identifier: MIT */
/*
 * gprof_report.c - sorts functions and arcs as gprof's report lists them.
 *
 * In: struct tree. Out: struct gprof_report.
 */
#include "contexts/gprof_report.h"

#include <stdlib.h>

static int compare_functions(const void *a, const void *b, void *strings)
{
	const struct tree_function *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strings_compare(strings, x->name, y->name);
}

/* Arcs are sorted by the function that they are listed with, then by time, then by the function at
 * the other end. */
struct place {
	uint32_t function, other;
	uint64_t time;
};

static struct place place_into(const struct gprof_report *r, uint32_t arc)
{
	const struct arc_time *a = &r->times->arcs[arc];

	return (struct place){r->number[a->callee], r->number[a->caller], a->self2 + a->child2};
}

static struct place place_out(const struct gprof_report *r, uint32_t arc)
{
	const struct arc_time *a = &r->times->arcs[arc];

	return (struct place){r->number[a->caller], r->number[a->callee], a->self1 + a->child1};
}

static int compare_times(struct place x, struct place y)
{
	if (x.time != y.time)
		return x.time < y.time ? 1 : -1;
	return (x.other > y.other) - (x.other < y.other);
}

static int compare_into(const void *a, const void *b, void *report)
{
	struct place x = place_into(report, *(const uint32_t *)a);
	struct place y = place_into(report, *(const uint32_t *)b);

	if (x.function != y.function)
		return x.function < y.function ? -1 : 1;
	return compare_times(y, x);
}

static int compare_out(const void *a, const void *b, void *report)
{
	struct place x = place_out(report, *(const uint32_t *)a);
	struct place y = place_out(report, *(const uint32_t *)b);

	if (x.function != y.function)
		return x.function < y.function ? -1 : 1;
	return compare_times(x, y);
}

static int sort_functions(struct gprof_report *r, struct error *err)
{
	const struct strings *strings = r->tree->strings;
	size_t i;

	r->functions = tree_functions(r->tree, &r->n, err);
	r->number = malloc((strings_count(strings) + 1) * sizeof(*r->number));
	if (!r->functions || !r->number)
		return error_memory(err);
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(r->functions, r->n, sizeof(*r->functions), compare_functions,
		(void *)(uintptr_t)strings);
	for (i = 0; i < r->n; i++)
		r->number[r->functions[i].name] = (uint32_t)i;
	return 0;
}

/* Sort the arcs by their place. Those of function i begin at arcs[first[i]]. */
static void sort_arcs(struct gprof_report *r, uint32_t *arcs, size_t *first,
		      int (*compare)(const void *, const void *, void *),
		      struct place (*place)(const struct gprof_report *, uint32_t))
{
	size_t n = r->times->n, i, function = 0;

	for (i = 0; i < n; i++)
		arcs[i] = (uint32_t)i;
	qsort_r(arcs, n, sizeof(*arcs), compare, r);
	for (i = 0; i < n; i++)
		while (function <= place(r, arcs[i]).function)
			first[function++] = i;
	while (function <= r->n)
		first[function++] = n;
}

int gprof_report_open(struct gprof_report *r, const struct tree *t, struct error *err)
{
	*r = (struct gprof_report){.tree = t};
	if (sort_functions(r, err))
		return -1;
	r->times = arc_times_build(t, err);
	if (!r->times)
		return -1;
	r->into = calloc(r->times->n + 1, sizeof(*r->into));
	r->out = calloc(r->times->n + 1, sizeof(*r->out));
	r->first_into = calloc(r->n + 1, sizeof(*r->first_into));
	r->first_out = calloc(r->n + 1, sizeof(*r->first_out));
	if (!r->into || !r->out || !r->first_into || !r->first_out)
		return error_memory(err);
	sort_arcs(r, r->into, r->first_into, compare_into, place_into);
	sort_arcs(r, r->out, r->first_out, compare_out, place_out);
	return 0;
}

void gprof_report_close(struct gprof_report *r)
{
	free(r->functions);
	free(r->number);
	arc_times_free(r->times);
	free(r->into);
	free(r->out);
	free(r->first_into);
	free(r->first_out);
}

struct gprof_report_arcs gprof_report_callers(const struct gprof_report *r, size_t function)
{
	size_t first = r->first_into[function];

	return (struct gprof_report_arcs){r->into + first, r->first_into[function + 1] - first};
}

struct gprof_report_arcs gprof_report_callees(const struct gprof_report *r, size_t function)
{
	size_t first = r->first_out[function];

	return (struct gprof_report_arcs){r->out + first, r->first_out[function + 1] - first};
}
