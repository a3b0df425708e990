/* SPDX-License-Identifier: MIT */
/*
 * view_info.c - shows what the profile says of the recording: processes, losses, threads, modules.
 *
 * In: a profile. Out: text, or rows of a key and a value, for each process.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/processes.h"
#include "view/view.h"
#include "write/info_text.h"
#include "write/rows.h"
#include "write/stop_text.h"
#include "write/weight.h"

static const char *const loss_keys[CPS_LOSS_COUNT + 1] = {
	[CPS_LOSS_REENTERED] = "lost_reentered",
	[CPS_LOSS_BUSY] = "lost_busy",
	[CPS_LOSS_MEMORY] = "lost_memory",
	[CPS_LOSS_OUTPUT] = "lost_output",
	[CPS_LOSS_STACK] = "lost_stack",
	[CPS_LOSS_BUDGET] = "lost_budget",
	[CPS_LOSS_DESCRIPTORS] = "lost_descriptors",
	[CPS_LOSS_CREATING] = "lost_creating",
	[CPS_LOSS_UNWINDER] = "lost_unwinder",
	[CPS_LOSS_FREES] = "lost_frees",
	[CPS_LOSS_MARKS] = "lost_marks",
	[CPS_LOSS_DAMAGED] = "lost_damaged",
	[CPS_LOSS_UNREAD] = "lost_unread",
	[CPS_LOSS_COUNT] = "lost_other",
};

static void row(struct rows *r, const char *key)
{
	static const char *const columns[] = {"key", "value", NULL};

	rows_row(r, columns);
	rows_word(r, key);
}

static void number(struct rows *r, const char *key, uint64_t value)
{
	row(r, key);
	rows_count(r, value);
}

static void write_value(struct rows *r, const struct profile *p, uint32_t string)
{
	size_t n = 0;
	const char *bytes = string == STRINGS_NONE ? "" : strings_get(p->strings, string, &n);

	rows_text(r, bytes, n);
}

static void string(struct rows *r, const struct profile *p, const char *key, uint32_t value)
{
	row(r, key);
	write_value(r, p, value);
}

/* Write the arguments, separated by spaces. */
static int command(struct rows *r, const struct profile *p, const struct profile_process *process,
		   struct error *err)
{
	char *text = NULL;
	size_t i, length, n = 0;
	FILE *f = open_memstream(&text, &n);

	for (i = 0; f && i < process->n_args; i++) {
		const char *arg = strings_get(p->strings, process->args[i], &length);

		fputs(i ? " " : "", f);
		fwrite(arg, 1, length, f);
	}
	if (!f || fclose(f)) {
		free(text);
		return error_memory(err);
	}
	row(r, "command");
	rows_text(r, text, n);
	free(text);
	return 0;
}

static int write_identity(struct rows *r, const struct profile *p,
			  const struct profile_process *process, struct error *err)
{
	string(r, p, "file", process->file);
	number(r, "pid", process->pid);
	number(r, "ppid", process->ppid);
	number(r, "tree_pid", process->tree_pid);
	number(r, "tree_start", process->tree_start);
	if (process->has_rank)
		number(r, "rank", process->rank);
	string(r, p, "exe", process->exe);
	if (process->started_as != STRINGS_NONE)
		string(r, p, "started_as", process->started_as);
	if (command(r, p, process, err))
		return -1;
	if (process->launched != STRINGS_NONE)
		string(r, p, "launched", process->launched);
	string(r, p, "cwd", process->cwd);
	string(r, p, "host", process->host);
	string(r, p, "machine", process->machine);
	string(r, p, "recorder", process->recorder);
	number(r, "start_ns", process->start_ns);
	if (process->began_ns)
		number(r, "began_ns", process->began_ns);
	return 0;
}

static void write_clock(struct rows *r, const struct profile *p,
			const struct profile_process *process)
{
	string(r, p, "resource", p->resource);
	string(r, p, "unit", p->unit);
	number(r, "interval", process->interval);
	string(r, p, "engine", process->engine);
	string(r, p, "engine_why", process->engine_why);
	string(r, p, "unwinder", process->unwinder);
	string(r, p, "unwinder_why", process->unwinder_why);
}

static void write_calls(struct rows *r, const struct profile_calls *c)
{
	number(r, "calls", c->calls);
	number(r, "called_functions", c->functions);
	number(r, "call_machines", c->machines);
	number(r, "call_states", c->states);
	number(r, "call_states_cut", c->cut);
	number(r, "call_transitions", c->transitions);
	number(r, "calls_missed", c->missed);
	number(r, "calls_until_us", c->until_us);
	number(r, "hooks_ns", c->hooks_ns);
}

static void write_credit(struct rows *r, const struct profile *p,
			 const struct profile_process *process, uint64_t missing_ns)
{
	number(r, "samples", process->samples);
	number(r, "tails", process->tails);
	number(r, "credited", process->weight);
	if (weight_is_time(p))
		number(r, "credited_ns", process->weight);
	number(r, "process_cpu_ns", process->cpu_ns);
	number(r, "own_ns", process->own_ns);
	number(r, "own_kernel_ns", process->own_kernel_ns);
	number(r, "children_ns", process->children_ns);
	number(r, "children_missing_ns", missing_ns);
	if (process->ready_ns)
		number(r, "ready_ns", process->ready_ns);
	number(r, "not_sampled", process->weight_by_mark[CPS_MARK_NOT_SAMPLED]);
	row(r, "complete_percent");
	rows_fraction(r,
		      weight_fraction(process->weight_complete, profile_process_sampled(process)) *
			      100);
	number(r, "deepest", process->deepest);
	if (process->calls.has_any)
		write_calls(r, &process->calls);
	if (process->python || process->python_unnamed) {
		number(r, "python_functions", process->python);
		number(r, "python_unnamed", process->python_unnamed);
	}
	if (process->interrupted)
		number(r, "interrupted_waits", process->interrupted);
}

static void write_losses(struct rows *r, const struct profile_process *process)
{
	size_t i;

	number(r, "lost", profile_process_lost(process));
	for (i = 0; i <= CPS_LOSS_COUNT; i++)
		number(r, loss_keys[i], process->losses[i]);
}

static void write_end(struct rows *r, const struct profile *p,
		      const struct profile_process *process)
{
	if (process->denied) {
		number(r, "denied", process->denied);
		number(r, "denied_error", process->denied_error);
	}
	row(r, "ended");
	rows_word(r, stop_text_word(process));
	if (process->stop)
		number(r, "stop_error", process->stop_error);
	number(r, "duration_us", process->ended ? process->end_us : process->last_us);
	if (process->ended)
		return;
	number(r, "cut_offset", process->cut_offset);
	string(r, p, "cut_why", process->cut_why);
}

static void write_resources(struct rows *r, const struct profile *p,
			    const struct profile_process *process)
{
	static const char *const columns[] = {"key",	  "resource", "gtick",	  "engine",
					      "interval", "samples",  "credited", "counted",
					      "events",	  "why",      NULL};
	size_t i;

	for (i = 0; i < process->n_resources; i++) {
		const struct profile_resource *from = &process->resources[i];

		rows_row(r, columns);
		rows_word(r, "counts");
		write_value(r, p, from->name);
		write_value(r, p, from->unit);
		write_value(r, p, from->engine);
		rows_count(r, from->interval);
		rows_count(r, from->samples);
		rows_count(r, from->credited);
		if (from->has_counted)
			rows_count(r, from->counted);
		else
			rows_none(r);
		if (from->has_counted && from->events)
			rows_count(r, from->events);
		else
			rows_none(r);
		write_value(r, p, from->why);
	}
}

static void write_threads(struct rows *r, const struct profile *p,
			  const struct profile_process *process)
{
	static const char *const columns[] = {"key",	 "thread", "tid", "credited",
					      "samples", "name",   NULL};
	size_t i;

	for (i = 0; i < process->n_threads; i++) {
		const struct profile_thread *t = &process->threads[i];

		rows_row(r, columns);
		rows_word(r, "thread");
		rows_count(r, t->id);
		rows_count(r, t->tid);
		rows_count(r, t->weight);
		rows_count(r, t->hits);
		write_value(r, p, t->name);
	}
}

static void write_marks(struct rows *r, const struct profile *p,
			const struct profile_process *process)
{
	static const char *const columns[] = {"key", "time_us", "thread", "name", NULL};
	size_t i;

	for (i = 0; i < process->n_marks; i++) {
		const struct profile_mark *m = &process->marks[i];

		rows_row(r, columns);
		rows_word(r, "mark");
		rows_count(r, m->time_us);
		rows_count(r, process->threads[m->thread].id);
		write_value(r, p, m->name);
	}
}

static int write_process(struct rows *r, const struct profile *p,
			 const struct profile_process *process, uint64_t missing_ns,
			 struct error *err)
{
	if (write_identity(r, p, process, err))
		return -1;
	write_clock(r, p, process);
	write_credit(r, p, process, missing_ns);
	number(r, "threads", process->n_threads);
	number(r, "modules", process->n_modules);
	number(r, "marks", process->n_marks + process->marks_left_out);
	write_losses(r, process);
	write_end(r, p, process);
	write_resources(r, p, process);
	write_threads(r, p, process);
	write_marks(r, p, process);
	return 0;
}

static int write_rows(const struct view_input *in, const struct children *c, struct out *o,
		      struct error *err)
{
	const struct profile *p = in->profile;
	struct rows r;
	size_t i;

	rows_begin(&r, o, "info", in);
	for (i = 0; i < p->n_processes; i++)
		if (write_process(&r, p, &p->processes[i], c->missing[i], err))
			return -1;
	rows_end(&r);
	return 0;
}

static void write_text(const struct profile *p, const struct children *c, struct out *o)
{
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		out_text(o, i ? "\n" : "");
		info_text(o, p, &p->processes[i], c->missing[i]);
	}
	if (p->n_processes > 1)
		info_text_children(o, c);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct children c;
	int status = 0;

	if (children_find(&c, in->profile, err))
		return -1;
	if (view_input_is_rows(in->options))
		status = write_rows(in, &c, o, err);
	else
		write_text(in->profile, &c, o);
	children_free(&c);
	return status;
}

const struct view view_info = {
	.name = "info",
	.help = "the recording: process, clock, losses, modules",
	.needs = VIEW_TAKES_CALLS,
	.ignores =
		VIEW_OPTIONS("top", "unit", "granularity", "names", "no-inlines", "focus", "ignore",
			     "hide", "collapse", "thread", "from", "to", "state", "by", "kernel"),
	.has_rows = true,
	.commands = {{.help = "the recordings: process, clock, what was lost"}},
	.emit = emit,
};
