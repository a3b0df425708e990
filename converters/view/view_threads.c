/* SPDX-License-Identifier: MIT */
/*
 * view_threads.c - lists the threads: when they began, what they used.
 *
 * In: what threads have used. Out: a line for each thread, the one that used most first.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "model/processes.h"
#include "view/thread_uses.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/looks.h"
#include "write/rows.h"
#include "write/weight.h"

#define ID_WIDTH  7
#define NAME_ROOM 12 /* columns, below which columns of figures are left out */

struct line {
	const struct profile_process *process;
	const struct profile_thread *thread;
	uint64_t weight, hits; /* of what is shown */
	uint64_t begin_ns;     /* of the run */
	uint32_t name;	       /* what it is called */
};

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->process != y->process)
		return x->process > y->process ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static struct line *gather(const struct profile *p, const struct thread_uses *u)
{
	struct line *list = calloc(u->n + 1, sizeof(*list));
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	uint64_t begin_ns = run_times_begin(p);

	for (size_t i = 0; list && commands && i < u->n; i++) {
		const struct thread_use *use = &u->list[i];

		list[i] = (struct line){&p->processes[use->process],
					use->thread,
					use->weight,
					use->hits,
					begin_ns,
					commands_thread(p->strings, p->processes, p->n_processes,
							commands, use->process, use->thread->name)};
	}
	if (list && commands) {
		qsort(list, u->n, sizeof(*list), compare);
	} else {
		free(list);
		list = NULL;
	}
	free(commands);
	return list;
}

enum { PID, TID, START, USED, SHARE, SAMPLES, COLUMNS };

static struct looks_columns columns_of(const struct out *o, struct weight_scale scale)
{
	struct looks_columns c = {
		.list = {{"pid", ID_WIDTH, 2},
			 {"tid", ID_WIDTH, 0},
			 {"start s", 9, 1},
			 {"used", scale.width, 0},
			 {"%", 6, 0},
			 {"samples", WEIGHT_COUNT_WIDTH, 3}},
		.n = COLUMNS,
	};

	looks_fit(&c, o, NAME_ROOM);
	return c;
}

static void write_name(struct out *o, const struct profile *p, const struct line *line, int column)
{
	size_t n;
	const char *name = strings_get(p->strings, line->name, &n);

	out_name_fit(o, name, n, column);
	out_text(o, "\n");
}

static void write_line(struct out *o, const struct profile *p, const struct line *line,
		       const struct looks_columns *c, struct weight_scale scale, uint64_t all)
{
	char text[WEIGHT_BYTES];

	looks_format(o, c, PID, "%" PRIu64, line->process->pid);
	looks_format(o, c, TID, "%" PRIu64, line->thread->tid);
	looks_format(o, c, START, "%.3f",
		     (double)(line->process->start_ns - line->begin_ns) / 1e9 +
			     (double)line->thread->start_us / 1e6);
	looks_cell(o, c, USED, weight_text(text, scale, line->weight));
	looks_format(o, c, SHARE, "%.2f", weight_fraction(line->weight, all) * 100);
	looks_format(o, c, SAMPLES, "%" PRIu64, line->hits);
	out_text(o, " ");
	write_name(o, p, line, looks_width(c) + 1);
}

static uint64_t start_of(const struct line *line)
{
	return line->process->start_ns - line->begin_ns + line->thread->start_us * 1000;
}

static void write_row(struct rows *r, const struct profile *p, const struct line *line,
		      uint64_t all)
{
	static const char *const columns[] = {
		"pid", "tid", "begin_ns", "credited", "credited_fraction", "samples", "name", NULL};

	rows_row(r, columns);
	if (line->process->pid)
		rows_count(r, line->process->pid);
	else
		rows_none(r);
	rows_count(r, line->thread->tid);
	if (line->process->start_ns)
		rows_count(r, start_of(line));
	else
		rows_none(r);
	rows_count(r, line->weight);
	rows_fraction(r, weight_fraction(line->weight, all));
	rows_count(r, line->hits);
	rows_name(r, p->strings, line->thread->name);
}

static void write_rows(struct out *o, const struct view_input *in, const struct line *list,
		       size_t n, uint64_t kept)
{
	struct rows r;

	rows_begin_threads(&r, o, "threads", in, kept);
	for (size_t i = 0; i < n; i++)
		write_row(&r, in->profile, &list[i], in->profile->weight);
	rows_end(&r);
}

static void write_text(struct out *o, const struct view_input *in, const struct line *list,
		       size_t n, size_t shown)
{
	const uint64_t all = in->profile->weight;
	const struct weight_scale scale = weight_scale(in->profile, TREE_GTICKS, all);
	const struct footer footer = {.what = "thread", .beyond = n - shown};
	const struct looks_columns c = columns_of(o, scale);

	caption_write(o, "Threads", in);
	out_text(o, "\n");
	looks_headings(o, &c);
	out_text(o, " name\n");
	caption_rule(o);
	for (size_t i = 0; i < shown; i++)
		write_line(o, in->profile, &list[i], &c, scale, all);
	footer_write(o, &footer, in->options, 0);
	looks_say_left_out(o, &c);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct thread_uses u;
	int status = thread_uses_find(&u, in, false, err);
	struct line *list = status ? NULL : gather(in->profile, &u);
	size_t shown = in->options->top && in->options->top < u.n ? in->options->top : u.n;

	if (!status && !list)
		status = error_memory(err);
	else if (list && view_input_is_rows(in->options))
		write_rows(o, in, list, shown, u.weight);
	else if (list)
		write_text(o, in, list, u.n, shown);
	free(list);
	thread_uses_free(&u);
	return status;
}

const struct view view_threads = {
	.name = "threads",
	.help = "the threads: when they began, what each used",
	.fits_screen = true,
	.needs = VIEW_TELLS_THREADS,
	.ignores = VIEW_OPTIONS("unit", "hide", "collapse", "kernel", "by", "granularity", "names",
				"no-inlines"),
	.has_rows = true,
	.commands = {{.argument = VIEW_ARGUMENT_COUNT}},
	.emit = emit,
};
