/* SPDX-License-Identifier: MIT */
/*
 * view_info.c - what is known of the recording itself.
 *
 * Show room. In: a profile. Out: text, or KEY TAB VALUE rows, for each process.
 */
#include <inttypes.h>

#include "amount.h"
#include "info_text.h"
#include "stop_text.h"
#include "view.h"

static const char *const loss_keys[CPS_LOSS_COUNT + 1] = {
	[CPS_LOSS_REENTERED] = "lost_reentered", [CPS_LOSS_BUSY] = "lost_busy",
	[CPS_LOSS_MEMORY] = "lost_memory",	 [CPS_LOSS_OUTPUT] = "lost_output",
	[CPS_LOSS_STACK] = "lost_stack",	 [CPS_LOSS_COUNT] = "lost_other",
};

static void number(struct out *o, const char *key, uint64_t value)
{
	out_format(o, "%s\t%" PRIu64 "\n", key, value);
}

/* Bytes that would break a row are escaped as C does. */
static void write_value(struct out *o, const struct profile *p, uint32_t string)
{
	const char *bytes;
	size_t i, n;

	if (string == STRINGS_NONE)
		return;
	bytes = strings_get(p->strings, string, &n);
	for (i = 0; i < n; i++) {
		if (bytes[i] == '\\')
			out_text(o, "\\\\");
		else if (bytes[i] == '\t')
			out_text(o, "\\t");
		else if (bytes[i] == '\n')
			out_text(o, "\\n");
		else
			out_name(o, &bytes[i], 1);
	}
}

static void string(struct out *o, const struct profile *p, const char *key, uint32_t value)
{
	out_format(o, "%s\t", key);
	write_value(o, p, value);
	out_text(o, "\n");
}

static void write_identity(struct out *o, const struct profile *p,
			   const struct profile_process *process)
{
	size_t i;

	string(o, p, "file", process->file);
	number(o, "pid", process->pid);
	number(o, "ppid", process->ppid);
	number(o, "tree_pid", process->tree_pid);
	number(o, "tree_start", process->tree_start);
	string(o, p, "exe", process->exe);
	out_text(o, "command\t");
	for (i = 0; i < process->n_args; i++) {
		out_text(o, i ? " " : "");
		write_value(o, p, process->args[i]);
	}
	out_text(o, "\n");
	string(o, p, "cwd", process->cwd);
	string(o, p, "host", process->host);
	string(o, p, "machine", process->machine);
	string(o, p, "recorder", process->recorder);
	number(o, "start_ns", process->start_ns);
}

static void write_clock(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	string(o, p, "resource", p->resource);
	string(o, p, "unit", p->unit);
	number(o, "interval", process->interval);
	string(o, p, "engine", process->engine);
	string(o, p, "engine_why", process->engine_why);
}

static void write_credit(struct out *o, const struct profile *p,
			 const struct profile_process *process)
{
	number(o, "samples", process->samples);
	number(o, "tails", process->tails);
	number(o, "credited", process->gticks);
	if (amount_is_time(p))
		number(o, "credited_ns", process->gticks);
	number(o, "process_cpu_ns", process->cpu_ns);
	out_text(o, "complete_percent\t");
	out_double(o, amount_fraction(process->gticks_complete, process->gticks) * 100);
	out_text(o, "\n");
	number(o, "deepest", process->deepest);
}

static void write_losses(struct out *o, const struct profile_process *process)
{
	size_t i;

	number(o, "lost", profile_process_lost(process));
	for (i = 0; i <= CPS_LOSS_COUNT; i++)
		number(o, loss_keys[i], process->losses[i]);
}

static void write_end(struct out *o, const struct profile *p, const struct profile_process *process)
{
	out_format(o, "ended\t%s\n", stop_word(process));
	if (process->stop)
		number(o, "stop_error", process->stop_error);
	number(o, "duration_us", process->ended ? process->end_us : process->last_us);
	if (process->ended)
		return;
	number(o, "cut_offset", process->cut_offset);
	string(o, p, "cut_why", process->cut_why);
}

/* A thread's name in each row: id, tid, gticks, samples, name. */
static void write_threads(struct out *o, const struct profile *p,
			  const struct profile_process *process)
{
	size_t i;

	for (i = 0; i < process->n_threads; i++) {
		const struct profile_thread *t = &process->threads[i];

		out_format(o, "thread\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", t->id,
			   t->tid, t->gticks, t->hits);
		write_value(o, p, t->name);
		out_text(o, "\n");
	}
}

/* Microseconds after the start, the thread's id, name. */
static void write_marks(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	size_t i;

	for (i = 0; i < process->n_marks; i++) {
		const struct profile_mark *m = &process->marks[i];

		out_format(o, "mark\t%" PRIu64 "\t%" PRIu32 "\t", m->time_us,
			   process->threads[m->thread].id);
		write_value(o, p, m->name);
		out_text(o, "\n");
	}
}

static void write_process(struct out *o, const struct profile *p,
			  const struct profile_process *process)
{
	write_identity(o, p, process);
	write_clock(o, p, process);
	write_credit(o, p, process);
	number(o, "threads", process->n_threads);
	number(o, "modules", process->n_modules);
	number(o, "marks", process->n_marks + process->marks_left_out);
	write_losses(o, process);
	write_end(o, p, process);
	write_threads(o, p, process);
	write_marks(o, p, process);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct profile *p = in->profile;
	size_t i;

	(void)err;
	for (i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		if (view_is_rows(in->options)) {
			write_process(o, p, process);
			continue;
		}
		out_text(o, i ? "\n" : "");
		info_text(o, p, process);
	}
	return 0;
}

const struct view view_info = {
	.name = "info",
	.help = "the recording: process, clock, losses, modules",
	.has_rows = true,
	.emit = emit,
};
