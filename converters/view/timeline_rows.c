/* SPDX-License-Identifier: MIT */
/*
 * timeline_rows.c - writes the timeline as a table for programs.
 *
 * In: when threads have used what. Out: rows.
 */
#include "view/timeline_rows.h"

#include <stdlib.h>

#include "model/processes.h"
#include "view/thread_uses.h"
#include "write/rows.h"

struct line {
	const struct profile_process *process;
	const struct thread_use *use;
	uint32_t command;
};

struct writing {
	const struct view_input *in;
	const struct timeline_span *span;
	struct rows rows;
};

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->use->weight != y->use->weight)
		return x->use->weight < y->use->weight ? 1 : -1;
	return (x->use > y->use) - (x->use < y->use);
}

/* When a part begins. */
static uint64_t time_of(const struct timeline_span *span, unsigned part)
{
	unsigned __int128 all = span->to_ns - span->from_ns;

	return span->from_ns + (uint64_t)(all * part / TIMELINE_PARTS);
}

static uint64_t sum(const struct slices *s)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < s->n; i++)
		all += s->weights[i];
	return all;
}

/* What was used before a part. What is outside of the span counts to the first and to the last one.
 * */
static uint64_t used_before(const struct timeline_span *span, const struct slices *s, unsigned part)
{
	uint64_t all = sum(s);
	double used;

	if (part == 0 || part == TIMELINE_PARTS)
		return part ? all : 0;
	used = slices_between(s, 0, time_of(span, part)) + 0.5;
	return used < (double)all ? (uint64_t)used : all;
}

/* The values at the end of a row. */
static void write_part(struct writing *w, unsigned part, uint64_t credited)
{
	rows_count(&w->rows, time_of(w->span, part) - w->span->begin_ns);
	rows_count(&w->rows, time_of(w->span, part + 1) - w->span->begin_ns);
	rows_count(&w->rows, credited);
}

static void write_all(struct writing *w, uint32_t resource, const struct slices *s)
{
	static const char *const columns[] = {"row",	"resource", "begin_ns",
					      "end_ns", "credited", NULL};
	uint64_t before = 0;

	for (unsigned part = 0; part < TIMELINE_PARTS; part++) {
		uint64_t used = used_before(w->span, s, part + 1);

		rows_row(&w->rows, columns);
		rows_word(&w->rows, "all");
		rows_name(&w->rows, w->in->profile->strings, resource);
		write_part(w, part, used - before);
		before = used;
	}
}

static void write_thread(struct writing *w, const struct line *line)
{
	static const char *const columns[] = {"row",	  "pid",    "tid",	"command", "name",
					      "begin_ns", "end_ns", "credited", NULL};
	const struct strings *strings = w->in->profile->strings;
	uint64_t before = 0;

	for (unsigned part = 0; part < TIMELINE_PARTS; part++) {
		uint64_t used = used_before(w->span, &line->use->times, part + 1);

		if (used == before)
			continue;
		rows_row(&w->rows, columns);
		rows_word(&w->rows, "thread");
		rows_count(&w->rows, line->process->pid);
		rows_count(&w->rows, line->use->thread->tid);
		rows_name(&w->rows, strings, line->command);
		rows_name(&w->rows, strings, line->use->thread->name);
		write_part(w, part, used - before);
		before = used;
	}
}

static void write_marks(struct writing *w, const struct profile_process *process)
{
	static const char *const columns[] = {"row", "pid", "thread", "begin_ns", "name", NULL};

	for (size_t i = 0; i < process->n_marks; i++) {
		const struct profile_mark *mark = &process->marks[i];
		uint64_t ns = process->start_ns + mark->time_us * 1000;

		if (mark->time_us > UINT64_MAX / 2000 || ns < w->span->from_ns ||
		    ns > w->span->to_ns)
			continue;
		rows_row(&w->rows, columns);
		rows_word(&w->rows, "mark");
		rows_count(&w->rows, process->pid);
		rows_count(&w->rows, process->threads[mark->thread].id);
		rows_count(&w->rows, ns - w->span->begin_ns);
		rows_name(&w->rows, w->in->profile->strings, mark->name);
	}
}

static int write_columns(struct writing *w, struct error *err)
{
	const struct profile *p = w->in->profile;

	for (size_t i = 1; i < p->n_columns; i++) {
		struct slices times = {0};
		int status = thread_uses_of_column(&times, w->in, i, err);

		if (!status)
			write_all(w, p->columns[i].resource, &times);
		slices_clear(&times);
		if (status)
			return -1;
	}
	return 0;
}

static int write_rows(struct writing *w, struct out *o, const struct line *list, size_t n,
		      const struct slices *all, struct error *err)
{
	const struct profile *p = w->in->profile;

	rows_begin_threads(&w->rows, o, "timeline", w->in, sum(all));
	write_all(w, p->resource, all);
	if (write_columns(w, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		write_thread(w, &list[i]);
	for (size_t i = 0; i < p->n_processes; i++)
		write_marks(w, &p->processes[i]);
	rows_end(&w->rows);
	return 0;
}

static int gather(const struct profile *p, const struct thread_uses *u, const uint32_t *commands,
		  struct line *list, struct slices *all)
{
	for (size_t i = 0; i < u->n; i++) {
		const struct thread_use *use = &u->list[i];

		list[i] = (struct line){&p->processes[use->process], use, commands[use->process]};
		if (slices_join(all, &use->times))
			return -1;
	}
	qsort(list, u->n, sizeof(*list), compare);
	return 0;
}

int timeline_rows(const struct view_input *in, const struct timeline_span *span, struct out *o,
		  struct error *err)
{
	const struct profile *p = in->profile;
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	struct writing w = {.in = in, .span = span};
	size_t top = in->options->top ? in->options->top : SIZE_MAX;
	struct slices all = {0};
	struct line *list = NULL;
	struct thread_uses u;
	int status = thread_uses_find(&u, in, true, err);

	if (!status) {
		list = calloc(u.n + 1, sizeof(*list));
		status = commands && list && !gather(p, &u, commands, list, &all)
				 ? write_rows(&w, o, list, top < u.n ? top : u.n, &all, err)
				 : error_memory(err);
	}
	slices_clear(&all);
	thread_uses_free(&u);
	free(commands);
	free(list);
	return status;
}
