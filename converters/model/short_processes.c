/* SPDX-License-Identifier: MIT */
/*
 * short_processes.c - the processes of a run that ended without a recording.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/processes.h"
#include "model/short_processes.h"
#include "read/short_file.h"

static int compare_recordings(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;

	return processes_compare(&processes[*(const size_t *)a], &processes[*(const size_t *)b]);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The recordings of a run, by process, and what is read beside them. */
struct run {
	struct profile *p;
	const size_t *order;
	size_t n;
	size_t first;		   /* of its processes in p->shorts */
	size_t size;		   /* of p->shorts */
	uint64_t *children_before; /* by process of this run */
	size_t children_size;
	struct short_list *lists;
	size_t n_lists;
};

static const struct profile_process *recording_of(const struct run *r, size_t i)
{
	return &r->p->processes[r->order[i]];
}

static uint32_t *keep_args(struct strings *s, const struct short_entry *e)
{
	uint32_t *args = calloc(e->n_args + 1, sizeof(*args));

	if (!args)
		return NULL;
	args[0] = strings_add(s, e->name.length ? e->name.bytes : "", e->name.length);
	for (size_t i = 0; i < e->n_args; i++)
		args[i + 1] = strings_add(s, e->args[i].length ? e->args[i].bytes : "",
					  e->args[i].length);
	for (size_t i = 0; i <= e->n_args; i++)
		if (args[i] == STRINGS_NONE) {
			free(args);
			return NULL;
		}
	return args;
}

/* The program's path, of which the beginning may be missing. STRINGS_NONE: memory. */
static uint32_t keep_path(struct strings *s, const struct short_entry *e)
{
	char *path;
	int n = asprintf(&path, "%.*s%.*s", (int)e->directory.length,
			 e->directory.length ? e->directory.bytes : "", (int)e->name.length,
			 e->name.bytes);
	uint32_t number = n < 0 ? STRINGS_NONE : strings_add(s, path, (size_t)n);

	if (n >= 0)
		free(path);
	return number;
}

static int on_entry(void *context, const struct short_entry *e, struct error *err)
{
	struct run *r = context;
	struct profile *p = r->p;
	const struct profile_process *of = recording_of(r, 0);
	size_t i = p->n_shorts - r->first;
	uint32_t *args = NULL, path = STRINGS_NONE;

	if (array_reserve(&p->shorts, &r->size, p->n_shorts + 1, sizeof(*p->shorts)) &&
	    array_reserve(&r->children_before, &r->children_size, i + 1,
			  sizeof(*r->children_before)))
		args = keep_args(p->strings, e);
	if (args && e->name.length)
		path = keep_path(p->strings, e);
	if (!args || (e->name.length && path == STRINGS_NONE)) {
		free(args);
		return error_memory(err);
	}
	r->children_before[i] = e->children_before_ns;
	p->shorts[p->n_shorts++] = (struct profile_process){
		.file = of->file,
		.exe = path,
		.cwd = STRINGS_NONE,
		.host = of->host,
		.machine = STRINGS_NONE,
		.recorder = STRINGS_NONE,
		.engine = STRINGS_NONE,
		.engine_why = STRINGS_NONE,
		.unwinder = STRINGS_NONE,
		.unwinder_why = STRINGS_NONE,
		.started_as = STRINGS_NONE,
		.launched = STRINGS_NONE,
		.note = STRINGS_NONE,
		.cut_why = STRINGS_NONE,
		.args = args,
		.n_args = e->n_args + 1,
		.pid = e->pid,
		.ppid = e->ppid,
		.start_ns = e->start_ns,
		.tree_pid = of->tree_pid,
		.tree_start = of->tree_start,
		.ended = true,
		.end_us = e->time_us,
		.cpu_ns = e->cpu_ns,
		.cpu_before_ns = e->cpu_before_ns,
		.children_ns = e->children_ns,
		.stop = e->stop,
	};
	return 0;
}

/* ---- what each has used ---------------------------------------------------------------------- */

static int compare_shorts(const void *a, const void *b, void *context)
{
	const struct profile_process *shorts = context;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int order = processes_compare_numbers(shorts[i].pid, shorts[k].pid);

	return order ? order : processes_compare_numbers(i, k);
}

static bool is_before(const struct profile_process *of, uint64_t pid, uint64_t start_ns)
{
	return of->pid < pid || (of->pid == pid && of->start_ns < start_ns);
}

/* Whether the process was recorded as another program, which began before `s`, and not before `after_ns`. */
static bool was_recorded(const struct run *r, const struct profile_process *s, uint64_t after_ns)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(recording_of(r, middle), s->pid, after_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->n && recording_of(r, low)->pid == s->pid &&
	       recording_of(r, low)->start_ns < s->start_ns;
}

static uint64_t beyond(uint64_t all, uint64_t before)
{
	return all > before ? all - before : 0;
}

/* Entries of a process follow each other in time. Each has all that the process has used until then. */
static int settle(struct run *r, struct error *err)
{
	size_t n = r->p->n_shorts - r->first;
	struct profile_process *shorts = n ? r->p->shorts + r->first : NULL;
	size_t *order = calloc(n + 1, sizeof(*order));
	uint64_t cpu_ns = 0, children_ns = 0;

	if (!order)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_shorts, shorts);
	for (size_t i = 0; i < n; i++) {
		struct profile_process *s = &shorts[order[i]];
		const struct profile_process *before = i ? &shorts[order[i - 1]] : NULL;
		const uint64_t cpu = s->cpu_ns, children = s->children_ns;
		bool goes_on =
			before && before->pid == s->pid && cpu >= cpu_ns &&
			(before->start_ns == s->start_ns ||
			 (before->stop == CPS_STOP_EXEC && !was_recorded(r, s, before->start_ns)));

		if (!goes_on) {
			bool was = was_recorded(r, s, 0);

			cpu_ns = was ? s->cpu_before_ns : 0;
			children_ns = was ? r->children_before[order[i]] : 0;
		}
		s->cpu_ns = beyond(cpu, cpu_ns);
		s->children_ns = beyond(children, children_ns);
		cpu_ns = cpu;
		children_ns = children;
	}
	free(order);
	return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Whether the recordings that were read stand for the run. The first process is the one that the run is named after, or what
 * cpsample has started and waits for: a child of that process has another command if it is the program itself. */
static bool is_whole(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct profile_process *of = recording_of(r, i);

		if (of->pid == of->tree_pid ||
		    (of->ppid == of->tree_pid && commands_is_launched(r->p->strings, of)))
			return true;
	}
	return r->n > 1;
}

/* The list of a run, open; 0: it has none, or it is not shown. A pack has no list that is not. */
static int find_list(const struct run *r, bool all, struct short_file *file, struct error *err)
{
	const struct profile_process *of = recording_of(r, 0);
	int rc = of->tree_pid ? short_file_find(file, strings_get(r->p->strings, of->file, NULL),
						of->tree_pid, of->tree_start, err)
			      : 0;

	if (rc <= 0 || all || is_whole(r) || file->recordings == r->n)
		return rc;
	short_file_close(file);
	return 0;
}

static int read_run(struct run *r, bool all, struct error *err)
{
	struct short_file file;
	unsigned char *bytes;
	int rc = find_list(r, all, &file, err);

	if (rc <= 0)
		return rc;
	bytes = short_file_bytes(&file, err);
	rc = bytes ? short_file_parse(bytes, file.bytes, on_entry, r, err) : -1;
	free(bytes);
	return rc ? -1 : settle(r, err);
}

/* Call `each` with the runs, one after the other. */
static int each_run(struct run *r, const size_t *order,
		    int (*each)(struct run *, bool, struct error *), bool all, struct error *err)
{
	int status = 0;

	for (size_t i = 0, begin = 0; !status && i < r->p->n_processes; i++) {
		if (i + 1 < r->p->n_processes &&
		    !processes_compare_runs(&r->p->processes[order[i]],
					    &r->p->processes[order[i + 1]]))
			continue;
		r->order = order + begin;
		r->n = i + 1 - begin;
		r->first = r->p->n_shorts;
		status = each(r, all, err);
		begin = i + 1;
	}
	return status;
}

static size_t *order_of_runs(const struct profile *p)
{
	size_t *order = calloc(p->n_processes + 1, sizeof(*order));

	for (size_t i = 0; order && i < p->n_processes; i++)
		order[i] = i;
	if (order)
		qsort_r(order, p->n_processes, sizeof(*order), compare_recordings, p->processes);
	return order;
}

int short_processes_find(struct profile *p, bool all, struct error *err)
{
	size_t *order = order_of_runs(p);
	struct run r = {.p = p};
	int status;

	if (!order)
		return error_memory(err);
	p->has_shorts = true;
	status = each_run(&r, order, read_run, all, err);
	free(r.children_before);
	free(order);
	return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static int compare_lists(const void *a, const void *b)
{
	const struct short_list *x = a, *y = b;
	int order = processes_compare_numbers(x->tree_pid, y->tree_pid);

	return order ? order : processes_compare_numbers(x->tree_start, y->tree_start);
}

static int note_list(struct run *r, bool all, struct error *err)
{
	const struct profile_process *of = recording_of(r, 0);
	struct short_file file;
	int rc = find_list(r, all, &file, err);

	if (rc <= 0)
		return rc;
	short_file_close(&file);
	r->lists[r->n_lists++] = (struct short_list){of->file, of->tree_pid, of->tree_start};
	return 0;
}

int short_processes_lists(struct profile *p, bool all, struct short_list **lists, size_t *n,
			  struct error *err)
{
	size_t *order = order_of_runs(p);
	struct run r = {.p = p, .lists = calloc(p->n_processes + 1, sizeof(*r.lists))};
	int status =
		order && r.lists ? each_run(&r, order, note_list, all, err) : error_memory(err);

	if (r.n_lists)
		qsort(r.lists, r.n_lists, sizeof(*r.lists), compare_lists);
	*lists = r.lists;
	*n = r.n_lists;
	free(order);
	return status;
}

uint64_t short_processes_used(const struct profile *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_shorts; i++)
		if (__builtin_add_overflow(sum, p->shorts[i].cpu_ns, &sum))
			return UINT64_MAX;
	return sum;
}

struct profile_process *short_processes_and_others(const struct profile *p)
{
	size_t n = p->n_processes + p->n_shorts;
	struct profile_process *list = calloc(n + 1, sizeof(*list));

	if (list && p->n_processes)
		memcpy(list, p->processes, p->n_processes * sizeof(*list));
	if (list && p->n_shorts)
		memcpy(list + p->n_processes, p->shorts, p->n_shorts * sizeof(*list));
	return list;
}
