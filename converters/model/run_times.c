/* SPDX-License-Identifier: MIT */
/*
 * run_times.c - adds up how much CPU time processes used, and how long their runs took.
 *
 * In: what recordings say of their processes. Out: times.
 */
#include "model/run_times.h"

#include <stdlib.h>
#include <string.h>

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t run_times_begin(const struct profile *p)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < p->n_processes; i++)
		least = p->processes[i].start_ns < least ? p->processes[i].start_ns : least;
	return least;
}

uint64_t run_times_lasted(const struct profile_process *process)
{
	uint64_t us = process->ended ? process->end_us : process->last_us, ns;

	return __builtin_mul_overflow(us, 1000, &ns) ? UINT64_MAX : ns;
}

static bool is_named(const struct profile *p, uint32_t string, const char *name)
{
	return string != STRINGS_NONE && strcmp(strings_get(p->strings, string, NULL), name) == 0;
}

bool run_times_cpu(const struct profile *p, const struct profile_process *process, uint64_t *ns)
{
	uint64_t own = process->own_ns < process->cpu_ns ? process->own_ns : process->cpu_ns;

	*ns = process->cpu_ns - own;
	if (process->ended)
		return true;
	for (size_t i = 0; i < process->n_resources; i++)
		if (is_named(p, process->resources[i].name, "cpu")) {
			*ns = process->resources[i].credited;
			return true;
		}
	*ns = process->weight;
	return is_named(p, p->resource, "cpu") && is_named(p, p->unit, "ns");
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_runs(const struct profile_process *a, const struct profile_process *b)
{
	int order = compare(a->host, b->host);

	order = order ? order : compare(a->tree_pid, b->tree_pid);
	return order ? order : compare(a->tree_start, b->tree_start);
}

static int compare_processes(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;
	const struct profile_process *x = &processes[*(const size_t *)a];
	const struct profile_process *y = &processes[*(const size_t *)b];
	int order = compare_runs(x, y);

	return order ? order : compare(x->start_ns, y->start_ns);
}

/* The processes of a run follow each other, the one that began first before the others. */
static void add_run(struct run_times *r, const struct profile *p, const size_t *order, size_t n)
{
	const struct profile_process *first = &p->processes[order[0]];
	uint64_t end = first->start_ns;

	for (size_t i = 0; i < n; i++) {
		const struct profile_process *process = &p->processes[order[i]];
		uint64_t over = add(process->start_ns, run_times_lasted(process));

		end = over > end ? over : end;
	}
	r->elapsed_ns = add(r->elapsed_ns, end - first->start_ns);
	r->n_runs++;
	if (first->start_ns < p->processes[r->first].start_ns)
		r->first = order[0];
}

static void add_runs(struct run_times *r, const struct profile *p, size_t *order)
{
	size_t i, begin = 0, n = p->n_processes;

	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_processes, p->processes);
	r->first = order[0];
	for (i = 1; i <= n; i++) {
		if (i < n && !compare_runs(&p->processes[order[i]], &p->processes[order[begin]]))
			continue;
		add_run(r, p, order + begin, i - begin);
		begin = i;
	}
}

int run_times_find(struct run_times *r, const struct profile *p, struct error *err)
{
	size_t *order;
	uint64_t ns;

	*r = (struct run_times){0};
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		if (!process->start_ns || !run_times_cpu(p, process, &ns))
			return 0;
		r->cpu_ns = add(r->cpu_ns, ns);
		r->n_threads += process->n_threads;
	}
	if (!p->n_processes)
		return 0;
	order = malloc(p->n_processes * sizeof(*order));
	if (!order)
		return error_memory(err);
	add_runs(r, p, order);
	free(order);
	return 1;
}
