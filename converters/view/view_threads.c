/* SPDX-License-Identifier: MIT */
/*
 * view_threads.c - lists the threads: when they began, what they used.
 *
 * In: a profile. Out: a line for each thread, the one that used most first.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "model/processes.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/rows.h"
#include "write/weight.h"

#define ID_WIDTH 7

struct line {
	const struct profile_process *process;
	const struct profile_thread *thread;
	uint64_t begin_ns; /* of the run */
};

static int compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->thread->weight != y->thread->weight)
		return x->thread->weight < y->thread->weight ? 1 : -1;
	if (x->process != y->process)
		return x->process > y->process ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static struct line *gather(const struct profile *p, size_t *n)
{
	struct line *list;
	size_t all = 0;
	uint64_t begin_ns = run_times_begin(p);

	for (size_t i = 0; i < p->n_processes; i++)
		all += p->processes[i].n_threads;
	list = calloc(all + 1, sizeof(*list));
	*n = 0;
	for (size_t i = 0; list && i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_threads; k++)
			list[(*n)++] = (struct line){&p->processes[i], &p->processes[i].threads[k],
						     begin_ns};
	if (list)
		qsort(list, *n, sizeof(*list), compare);
	return list;
}

static void write_name(struct out *o, const struct profile *p, const struct line *line, int column)
{
	const struct event_text program = profile_program_of(p->strings, line->process);
	size_t n;
	const char *name = strings_get(p->strings, line->thread->name, &n);

	if (n)
		out_name_fit(o, name, n, column);
	else if (program.length)
		out_name_fit(o, program.bytes, program.length, column);
	out_text(o, "\n");
}

static void write_line(struct out *o, const struct profile *p, const struct line *line,
		       struct weight_scale scale, uint64_t all)
{
	int column = 2 * (ID_WIDTH + 1) + 10 + scale.width + 1 + 7 + WEIGHT_COUNT_WIDTH + 2;
	char text[WEIGHT_BYTES];

	out_format(o, "%*" PRIu64 " %*" PRIu64 " %9.3f %*s %6.2f %*" PRIu64 "  ", ID_WIDTH,
		   line->process->pid, ID_WIDTH, line->thread->tid,
		   (double)(line->process->start_ns - line->begin_ns) / 1e9 +
			   (double)line->thread->start_us / 1e6,
		   scale.width, weight_text(text, scale, line->thread->weight),
		   weight_fraction(line->thread->weight, all) * 100, WEIGHT_COUNT_WIDTH,
		   line->thread->hits);
	write_name(o, p, line, column);
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
	rows_count(r, line->thread->weight);
	rows_fraction(r, weight_fraction(line->thread->weight, all));
	rows_count(r, line->thread->hits);
	rows_name(r, p->strings, line->thread->name);
}

static void write_rows(struct out *o, const struct view_input *in, const struct line *list,
		       size_t n, uint64_t all)
{
	struct rows r;

	rows_begin(&r, o, "threads", in);
	for (size_t i = 0; i < n; i++)
		write_row(&r, in->profile, &list[i], all);
	rows_end(&r);
}

static void write_text(struct out *o, const struct view_input *in, const struct line *list,
		       size_t n, size_t shown, uint64_t all)
{
	const struct weight_scale scale = weight_scale(in->profile, TREE_GTICKS, all);
	const struct footer footer = {.what = "thread", .beyond = n - shown};

	caption_write(o, "Threads", in);
	out_format(o, "\n%*s %*s   start s %*s      %% %*s  name\n", ID_WIDTH, "pid", ID_WIDTH,
		   "tid", scale.width, "used", WEIGHT_COUNT_WIDTH, "samples");
	caption_rule(o);
	for (size_t i = 0; i < shown; i++)
		write_line(o, in->profile, &list[i], scale, all);
	footer_write(o, &footer, in->options, 0);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	size_t n, shown;
	struct line *list = gather(in->profile, &n);
	uint64_t all = 0;

	if (!list)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		all += list[i].thread->weight; /* the builder has checked the sum */
	shown = in->options->top && in->options->top < n ? in->options->top : n;
	if (view_input_is_rows(in->options))
		write_rows(o, in, list, shown, all);
	else
		write_text(o, in, list, n, shown, all);
	free(list);
	return 0;
}

const struct view view_threads = {
	.name = "threads",
	.help = "the threads: when they began, what each used",
	.fits_screen = true,
	.needs = VIEW_TAKES_CALLS,
	.ignores = VIEW_OPTIONS("unit", "granularity", "names", "no-inlines"),
	.has_rows = true,
	.commands = {{.argument = VIEW_ARGUMENT_COUNT}},
	.emit = emit,
};
