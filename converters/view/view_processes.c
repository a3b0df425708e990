/* SPDX-License-Identifier: MIT */
/*
 * view_processes.c - lists the processes: who started them, when, how long they ran, what they used.
 *
 * In: a profile. Out: a line for each process, the one that used most first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/processes.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/rows.h"
#include "write/stop_text.h"
#include "write/weight.h"

#define COMMAND_COLUMN 53
#define PID_WIDTH      7
#define RANK_WIDTH     7

struct line {
	const struct profile_process *process;
	uint32_t command;
};

static int compare(const void *a, const void *b)
{
	const struct profile_process *x = ((const struct line *)a)->process;
	const struct profile_process *y = ((const struct line *)b)->process;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? 1 : -1;
	return (x > y) - (x < y);
}

/* The sum of what all processes used; --from and --thread leave no process out. */
static uint64_t all_weight(const struct profile *p)
{
	uint64_t all = 0;

	for (size_t i = 0; i < p->n_processes; i++)
		all += p->processes[i].weight; /* the builder has checked the sum */
	return all;
}

static void write_pid(struct out *o, uint64_t pid)
{
	if (pid)
		out_format(o, "%*" PRIu64 " ", PID_WIDTH, pid);
	else
		out_format(o, "%*s ", PID_WIDTH, "-");
}

/* There is a column of ranks if a process has one. */
static bool has_ranks(const struct profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].has_rank)
			return true;
	return false;
}

static void write_rank(struct out *o, const struct profile_process *process)
{
	if (process->has_rank)
		out_format(o, "%*" PRIu64 " ", RANK_WIDTH, process->rank);
	else
		out_format(o, "%*s ", RANK_WIDTH, "-");
}

static void write_seconds(struct out *o, uint64_t ns, bool is_known)
{
	if (is_known)
		out_format(o, "%9.3f ", (double)ns / 1e9);
	else
		out_format(o, "%9s ", "-");
}

/* How the process ended, if not as usual. */
static const char *end_of(const struct profile_process *process)
{
	const char *word = stop_text_word(process);

	return strcmp(word, "clean") == 0 || !process->start_ns ? NULL : word;
}

/* CPU time is the kernel's word. What of another resource was credited stands in its place. */
static void write_used(struct out *o, const struct profile *p,
		       const struct profile_process *process, bool is_timed)
{
	char text[WEIGHT_BYTES];
	uint64_t cpu_ns = 0;

	if (weight_is_cpu(p)) {
		is_timed = run_times_cpu(p, process, &cpu_ns) && is_timed;
		write_seconds(o, cpu_ns, is_timed);
	} else {
		out_format(o, "%9s ",
			   weight_brief(text, strings_get(p->strings, p->unit, NULL),
					process->weight));
	}
}

static void write_line(struct out *o, const struct profile *p, const struct line *line,
		       uint64_t begin_ns, uint64_t all, int column)
{
	const struct profile_process *process = line->process;
	const char *name, *end = end_of(process);
	bool is_timed = process->start_ns != 0;
	size_t n;

	write_pid(o, process->pid);
	write_pid(o, process->ppid);
	if (column > COMMAND_COLUMN)
		write_rank(o, process);
	write_seconds(o, process->start_ns - begin_ns, is_timed);
	write_seconds(o, run_times_lasted(process), is_timed);
	write_used(o, p, process, is_timed);
	out_format(o, "%5.1f  ", weight_fraction(process->weight, all) * 100);
	name = strings_get(p->strings, line->command, &n);
	out_name_fit(o, name, n, column + (end ? (int)strlen(end) + 3 : 0));
	if (end)
		out_format(o, " [%s]", end);
	out_text(o, "\n");
}

static void write_number(struct rows *r, uint64_t ns, bool is_known)
{
	if (is_known)
		rows_count(r, ns);
	else
		rows_none(r);
}

static uint64_t samples_of(const struct profile_process *process)
{
	uint64_t all = 0;

	for (size_t i = 0; i < process->n_threads; i++)
		all += process->threads[i].hits;
	return all;
}

static void write_row(struct rows *r, const struct profile *p, const struct line *line,
		      uint64_t begin_ns, uint64_t all)
{
	static const char *const columns[] = {"pid",
					      "ppid",
					      "begin_ns",
					      "elapsed_ns",
					      "cpu_ns",
					      "credited",
					      "credited_fraction",
					      "samples",
					      "ended",
					      "command",
					      "rank",
					      NULL};
	const struct profile_process *process = line->process;
	bool is_timed = process->start_ns != 0;
	uint64_t cpu_ns = 0;

	rows_row(r, columns);
	write_number(r, process->pid, process->pid != 0);
	write_number(r, process->ppid, process->ppid != 0);
	write_number(r, process->start_ns - begin_ns, is_timed);
	write_number(r, run_times_lasted(process), is_timed);
	is_timed = run_times_cpu(p, process, &cpu_ns) && is_timed;
	write_number(r, cpu_ns, is_timed);
	rows_count(r, process->weight);
	rows_fraction(r, weight_fraction(process->weight, all));
	rows_count(r, samples_of(process));
	if (process->start_ns)
		rows_word(r, stop_text_word(process));
	else
		rows_none(r);
	rows_name(r, p->strings, line->command);
	write_number(r, process->rank, process->has_rank);
}

static void write_rows(struct out *o, const struct view_input *in, const struct line *list)
{
	const struct profile *p = in->profile;
	size_t top = in->options->top ? in->options->top : SIZE_MAX;
	uint64_t begin_ns = run_times_begin(p), all = all_weight(p);
	struct rows r;

	rows_begin(&r, o, "processes", in);
	for (size_t i = 0; i < p->n_processes && i < top; i++)
		write_row(&r, p, &list[i], begin_ns, all);
	rows_end(&r);
}

static void write_lines(struct out *o, const struct view_input *in, const struct line *list)
{
	const struct profile *p = in->profile;
	struct footer footer = {.what = "process", .plural = "processes"};
	uint64_t begin_ns = run_times_begin(p), all = all_weight(p);
	size_t i, top = in->options->top ? in->options->top : SIZE_MAX;
	int column = COMMAND_COLUMN + (has_ranks(p) ? RANK_WIDTH + 1 : 0);

	caption_write(o, "Processes", in);
	out_format(o, "\n%*s %*s %*s  start s elapsed s %9s     %%  command\n", PID_WIDTH, "pid",
		   PID_WIDTH, "parent", column - COMMAND_COLUMN,
		   column > COMMAND_COLUMN ? "rank " : "", weight_is_cpu(p) ? "CPU s" : "used");
	caption_rule(o);
	for (i = 0; i < p->n_processes && i < top; i++)
		write_line(o, p, &list[i], begin_ns, all, column);
	footer.beyond = p->n_processes - i;
	footer_write(o, &footer, in->options, 0);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct profile *p = in->profile;
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	struct line *list = calloc(p->n_processes + 1, sizeof(*list));
	bool ok = commands && list;

	for (size_t i = 0; ok && i < p->n_processes; i++)
		list[i] = (struct line){&p->processes[i], commands[i]};
	if (ok) {
		qsort(list, p->n_processes, sizeof(*list), compare);
		if (view_input_is_rows(in->options))
			write_rows(o, in, list);
		else
			write_lines(o, in, list);
	}
	free(commands);
	free(list);
	return ok ? 0 : error_memory(err);
}

const struct view view_processes = {
	.name = "processes",
	.help = "the processes: who, when, for how long, how much",
	.fits_screen = true,
	.needs = VIEW_TAKES_CALLS,
	.ignores = VIEW_OPTIONS("unit", "granularity", "names", "no-inlines"),
	.has_rows = true,
	.commands = {{.argument = VIEW_ARGUMENT_COUNT}},
	.emit = emit,
};
