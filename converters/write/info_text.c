/* SPDX-License-Identifier: MIT */
/*
 * info_text.c - writes what the profile says of one process, for people.
 *
 * In: a profile. Out: two columns of text, and tables of threads and modules.
 */
#include "write/info_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "write/caption.h"
#include "write/stop_text.h"
#include "write/rate.h"
#include "write/weight.h"

const char *const info_text_losses[CPS_LOSS_COUNT + 1] = {
	CPS_LOSS_TEXTS,
	[CPS_LOSS_COUNT] = "other reasons",
};

static const char *const marks[CPS_MARK_COUNT] = {
	[CPS_MARK_COMPLETE] = "whole",
	[CPS_MARK_NO_RECIPE] = "no unwind information",
	[CPS_MARK_BAD_MEMORY] = "unreadable frame",
	[CPS_MARK_NO_PROGRESS] = "stack pointer did not move",
	[CPS_MARK_TOO_DEEP] = "too deep, middle left out",
	[CPS_MARK_BOUNDED] = "too deep, outer end left out",
	[CPS_MARK_COPIED] = "longer than what was copied of them",
};

static void label(struct out *o, const char *text)
{
	out_format(o, "%-12s ", text);
}

/* A string of the profile; nothing of STRINGS_NONE. */
static void info_text_string(struct out *o, const struct profile *p, uint32_t number)
{
	const char *bytes;
	size_t n;

	if (number == STRINGS_NONE)
		return;
	bytes = strings_get(p->strings, number, &n);
	out_name(o, bytes, n);
}

static void line(struct out *o, const struct profile *p, const char *name, uint32_t number)
{
	if (number == STRINGS_NONE)
		return;
	label(o, name);
	info_text_string(o, p, number);
	out_text(o, "\n");
}

static void write_folded(struct out *o, const struct profile *p, uint32_t number, size_t column)
{
	size_t n;
	const char *bytes = strings_get(p->strings, number, &n);

	caption_folded(o, bytes, n, column, column);
}

/* Why the line before has what it has. */
static void reason(struct out *o, const struct profile *p, uint32_t number)
{
	if (number == STRINGS_NONE)
		return;
	label(o, "");
	write_folded(o, p, number, 13);
	out_text(o, "\n");
}

static void write_start(struct out *o, uint64_t start_ns)
{
	time_t seconds = (time_t)(start_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (!start_ns || !localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		return;
	label(o, "started");
	out_format(o, "%s\n", text);
}

/* The process ran already when recording began. */
static void write_attached(struct out *o, const struct profile_process *process)
{
	char text[WEIGHT_BYTES];

	if (!process->began_ns)
		return;
	label(o, "attached");
	if (process->start_ns > process->began_ns)
		out_format(o, "%s after its start; what was before is not in it\n",
			   weight_duration(text, process->start_ns - process->began_ns));
	else
		out_text(o, "to a process that ran already\n");
}

static void write_identity(struct out *o, const struct profile *p,
			   const struct profile_process *process)
{
	line(o, p, "file", process->file);
	if (process->pid) {
		label(o, "process");
		out_format(o, "%" PRIu64, process->pid);
		if (process->ppid)
			out_format(o, ", child of %" PRIu64, process->ppid);
		if (process->tree_pid && process->tree_pid != process->pid)
			out_format(o, ", in the process tree of %" PRIu64, process->tree_pid);
		out_text(o, "\n");
	}
	if (process->has_rank) {
		label(o, "rank");
		out_format(o, "%" PRIu64 "\n", process->rank);
	}
	if (process->n_args) {
		label(o, "command");
		caption_command(o, p, process, 0);
		out_text(o, "\n");
	}
	line(o, p, "launched", process->launched);
	line(o, p, "executable", process->exe);
	line(o, p, "started as", process->started_as);
	line(o, p, "directory", process->cwd);
	line(o, p, "host", process->host);
	line(o, p, "machine", process->machine);
	line(o, p, "recorder", process->recorder);
	write_start(o, process->start_ns);
	write_attached(o, process);
}

static void write_clock(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	line(o, p, "resource", p->resource);
	line(o, p, "unit", p->unit);
	if (process->interval) {
		label(o, "interval");
		rate_write_process(o, p, process);
		out_text(o, "\n");
	}
	line(o, p, "engine", process->engine);
	reason(o, p, process->engine_why);
	line(o, p, "unwinder", process->unwinder);
	reason(o, p, process->unwinder_why);
}

/* A damaged recording may have any time. A time that does not fit becomes the greatest one. */
static const char *duration(char text[WEIGHT_BYTES], uint64_t us)
{
	return weight_duration(text, us > UINT64_MAX / 1000 ? UINT64_MAX : us * 1000);
}

/* Whether some resource has the samples of waits, which are made when a wait is over. */
static bool counts_waits(const struct profile *p, const struct profile_process *process)
{
	for (size_t i = 0; i < process->n_resources; i++) {
		const char *name = strings_get(p->strings, process->resources[i].name, NULL);

		if (!strcmp(name, "real") || !strcmp(name, "lock"))
			return true;
	}
	return false;
}

static void write_duration(struct out *o, const struct profile *p,
			   const struct profile_process *process)
{
	uint64_t us = process->ended ? process->end_us : process->last_us;
	char text[WEIGHT_BYTES], why[STOP_TEXT_BYTES];

	label(o, "recorded");
	if (us)
		out_format(o, "%s, ", duration(text, us));
	if (process->stop)
		out_format(o, "stopped: %s\n", stop_text(why, process));
	else if (process->ended)
		out_text(o, profile_text_is(p, process->engine, "outside")
				    ? "ended; how is not known from outside\n"
				    : "ended clean\n");
	line(o, p, "", process->note);
	if (process->ended)
		return;
	if (process->stop)
		label(o, "");
	out_text(o, stop_text_unended(why, process));
	if (process->cut_why != STRINGS_NONE) {
		out_text(o, ": ");
		info_text_string(o, p, process->cut_why);
	}
	out_text(o, "\n");
	if (process->unended == EVENT_RUNNING && counts_waits(p, process)) {
		label(o, "");
		out_text(o, "waits that last now are not in it yet; they come when they end\n");
	}
}

static void write_credit(struct out *o, const struct profile *p,
			 const struct profile_process *process)
{
	char text[WEIGHT_BYTES];

	label(o, "samples");
	out_format(o, "%" PRIu64, process->samples);
	if (process->tails)
		out_format(o, ", and %" PRIu64 " rest%s of threads at their end", process->tails,
			   process->tails == 1 ? "" : "s");
	out_text(o, "\n");
	label(o, "credited");
	out_text(o, weight_alone(text, p, process->weight));
	if (process->cpu_ns && weight_is_cpu(p)) {
		out_format(o, " of %s CPU time", weight_alone(text, p, process->cpu_ns));
		out_format(o, " (%.2f %% of it)",
			   weight_fraction(process->weight, process->cpu_ns) * 100);
	}
	out_text(o, "\n");
}

/* What recording took of the CPU time, beside what was credited. */
static void write_own(struct out *o, const struct profile *p, const struct profile_process *process)
{
	char text[WEIGHT_BYTES];

	if (!process->own_ns || !process->cpu_ns || !weight_is_cpu(p))
		return;
	label(o, "not credited");
	out_format(o, "%s", weight_alone(text, p, process->own_ns));
	out_format(o, " (%.2f %% of the CPU time) that recording took",
		   weight_fraction(process->own_ns, process->cpu_ns) * 100);
	if (process->own_kernel_ns)
		out_format(o, ", %s of it in the kernel",
			   weight_alone(text, p, process->own_kernel_ns));
	out_text(o, "\n");
}

#define SAMPLES_FOR_RATE 16u /* fewer say too little of how much time the program has used */

/* How calls were counted, and what is not known of them. */
static void write_calls(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	const struct profile_calls *c = &process->calls;
	char text[WEIGHT_BYTES];

	if (c->has_lost) {
		label(o, "calls");
		out_text(o, "some of those that were counted are lost, so that none count\n");
	}
	if (!c->has_any)
		return;
	label(o, "calls");
	out_format(o, "%" PRIu64 " of %" PRIu64 " functions, %" PRIu64 " missed\n", c->calls,
		   c->functions, c->missed);
	if (weight_is_cpu(p) && process->samples >= SAMPLES_FOR_RATE && !c->until_us) {
		label(o, "calls per s");
		out_format(o, "%.0f of CPU time that is credited, without the counting\n",
			   (double)c->calls * 1e9 / (double)process->weight);
	}
	label(o, "contexts");
	out_format(o, "%" PRIu64 " states, %" PRIu64 " transitions, %" PRIu64 " machine%s",
		   c->states, c->transitions, c->machines, c->machines == 1 ? "" : "s");
	if (c->cut)
		out_format(o, "; of %" PRIu64 " only the caller is known", c->cut);
	out_text(o, "\n");
	if (c->until_us) {
		label(o, "counted until");
		out_format(o, "%.3f s\n", (double)c->until_us / 1e6);
	}
	if (c->hooks_ns) {
		label(o, "[profiling]");
		out_format(o, "%s, in which calls were counted; not credited\n",
			   weight_duration(text, c->hooks_ns));
	}
}

/* What threads used while no tick has seen them. */
static void write_not_sampled(struct out *o, const struct profile *p,
			      const struct profile_process *process)
{
	uint64_t weight = process->weight_by_mark[CPS_MARK_NOT_SAMPLED];
	char text[WEIGHT_BYTES];

	if (!weight)
		return;
	label(o, "not sampled");
	out_format(o, "%s (%.2f %% of what was credited), which no tick has seen\n",
		   weight_alone(text, p, weight), weight_fraction(weight, process->weight) * 100);
}

/* How long threads could have run. */
static void write_ready(struct out *o, const struct profile_process *process)
{
	char text[WEIGHT_BYTES];

	if (!process->ready_ns)
		return;
	label(o, "ready");
	out_format(o, "%s, in which threads waited for a processor\n",
		   weight_duration(text, process->ready_ns));
}

/* What a part of something is in the recordings that are shown, and what is in none of them. */
static void write_parts(struct out *o, uint64_t used_ns, uint64_t missing_ns)
{
	char in[WEIGHT_BYTES], missing[WEIGHT_BYTES];

	out_format(o, "%s of it in these recordings, %s in none\n",
		   weight_duration(in, used_ns - missing_ns), weight_duration(missing, missing_ns));
}

static void write_children(struct out *o, const struct profile_process *process,
			   uint64_t missing_ns)
{
	char text[WEIGHT_BYTES];

	if (!process->children_ns)
		return;
	label(o, "children");
	out_format(o, "%s CPU time of those that ended and were waited for\n",
		   weight_duration(text, process->children_ns));
	label(o, "");
	write_parts(o, process->children_ns, missing_ns);
}

static void write_stacks(struct out *o, const struct profile_process *process)
{
	uint64_t sampled = profile_process_sampled(process);
	size_t i;

	if (!sampled)
		return;
	label(o, "whole stacks");
	out_format(o, "%.2f %% of what was %s\n",
		   weight_fraction(process->weight_complete, sampled) * 100,
		   sampled < process->weight ? "sampled" : "credited");
	for (i = CPS_MARK_COMPLETE + 1; i < CPS_MARK_COUNT; i++) {
		if (!process->weight_by_mark[i] || i == CPS_MARK_NOT_SAMPLED)
			continue;
		label(o, "");
		out_format(o, "%.2f %% %s\n",
			   weight_fraction(process->weight_by_mark[i], sampled) * 100, marks[i]);
	}
	label(o, "deepest");
	out_format(o, "%" PRIu64 " frame%s\n", process->deepest, process->deepest == 1 ? "" : "s");
}

/* Functions of Python's, if an interpreter was among what ran. */
static void write_python(struct out *o, const struct profile_process *process)
{
	if (!process->python && !process->python_unnamed)
		return;
	label(o, "python");
	out_format(o, "%" PRIu64 " function%s by name", process->python,
		   process->python == 1 ? "" : "s");
	if (process->python_unnamed)
		out_format(o, "; %" PRIu64 " frame%s of the interpreter without names",
			   process->python_unnamed, process->python_unnamed == 1 ? "" : "s");
	out_text(o, "\n");
}

/* The clock has stopped ticking inside of calls then. */
static void write_interrupted(struct out *o, const struct profile_process *process)
{
	if (!process->interrupted)
		return;
	label(o, "interrupted");
	out_format(o, "%" PRIu64 " call%s, by samples; later ones came at ticks of the kernel\n",
		   process->interrupted, process->interrupted == 1 ? "" : "s");
}

static void write_losses(struct out *o, const struct profile_process *process)
{
	uint64_t lost = profile_process_lost(process);
	size_t i;

	label(o, "lost");
	out_format(o, "%" PRIu64 " tick%s", lost, lost == 1 ? "" : "s");
	for (i = 0; i <= CPS_LOSS_COUNT; i++)
		if (process->losses[i])
			out_format(o, "; %" PRIu64 " %s", process->losses[i], info_text_losses[i]);
	out_text(o, "\n");
}

static void write_denied(struct out *o, const struct profile_process *process)
{
	char why[STOP_TEXT_BYTES];

	if (!process->denied)
		return;
	label(o, "not recorded");
	out_format(o, "%s\n", stop_text_denied(why, process));
}

static void write_threads(struct out *o, const struct profile *p,
			  const struct profile_process *process)
{
	struct weight_scale scale = weight_scale(p, TREE_GTICKS, process->weight);
	char text[WEIGHT_BYTES];
	size_t i;

	if (!process->n_threads)
		return;
	out_format(o, "\n%zu thread%s\n", process->n_threads, process->n_threads == 1 ? "" : "s");
	out_text(o, "    id      tid     credited   samples  name\n");
	for (i = 0; i < process->n_threads; i++) {
		const struct profile_thread *t = &process->threads[i];

		if (t->id == EVENT_ALL_THREADS)
			out_format(o, "%6s %8s", "-", "-");
		else
			out_format(o, "%6" PRIu32 " %8" PRIu64, t->id, t->tid);
		out_format(o, " %12s %9" PRIu64 "  ", weight_text(text, scale, t->weight), t->hits);
		info_text_string(o, p, t->name);
		out_text(o, "\n");
	}
}

static void write_marks(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	size_t i;

	if (!process->n_marks)
		return;
	out_format(o, "\n%zu mark%s\n", process->n_marks, process->n_marks == 1 ? "" : "s");
	out_text(o, "     seconds  thread  name\n");
	for (i = 0; i < process->n_marks; i++) {
		const struct profile_mark *m = &process->marks[i];

		out_format(o, "%5" PRIu64 ".%06" PRIu64 "  %6" PRIu32 "  ", m->time_us / 1000000,
			   m->time_us % 1000000, process->threads[m->thread].id);
		info_text_string(o, p, m->name);
		out_text(o, "\n");
	}
	if (process->marks_left_out)
		out_format(o, "  and %" PRIu64 " more\n", process->marks_left_out);
}

/* ---- modules --------------------------------------------------------------------------------- */

static void write_module(struct out *o, const struct profile *p, const struct profile_module *m)
{
	size_t i;

	out_text(o, "  ");
	for (i = 0; i < 6; i++)
		if (i < m->build_id_bytes)
			out_format(o, "%02x", m->build_id[i]);
		else
			out_text(o, m->build_id_bytes ? "  " : "--");
	out_text(o, "  ");
	if (m->path != STRINGS_NONE) {
		size_t n;
		const char *path = strings_get(p->strings, m->path, &n);

		out_name(o, path, n);
	} else {
		out_text(o, "(no record of this module)");
	}
	out_text(o, "\n");
}

static void write_modules(struct out *o, const struct profile *p,
			  const struct profile_process *process)
{
	size_t i;

	if (!process->n_modules)
		return;
	out_format(o, "\n%zu module%s\n", process->n_modules, process->n_modules == 1 ? "" : "s");
	out_text(o, "  build id      path\n");
	for (i = 0; i < process->n_modules; i++)
		write_module(o, p, &p->modules[process->modules[i]]);
}

/* ---- resources ------------------------------------------------------------------------------- */

static const char *string_or(const struct profile *p, uint32_t number, const char *otherwise)
{
	return number == STRINGS_NONE ? otherwise : strings_get(p->strings, number, NULL);
}

/* "alloc  105.540 MB credited of 105.580 MB counted, 213 samples" */
static void write_resource(struct out *o, const struct profile *p, const struct profile_resource *r)
{
	const char *unit = string_or(p, r->unit, "");
	char text[WEIGHT_BYTES];

	out_text(o, "  ");
	info_text_string(o, p, r->name);
	if (profile_nothing_of(r) == PROFILE_NOT_HAPPENED) {
		out_text(o, ": did not happen\n");
	} else {
		out_format(o, ": %s credited", weight_with_unit(text, unit, r->credited));
		if (r->has_counted)
			out_format(o, " of %s counted", weight_with_unit(text, unit, r->counted));
		out_format(o, ", %" PRIu64 " sample%s\n", r->samples, r->samples == 1 ? "" : "s");
	}
	if (r->engine != STRINGS_NONE || r->interval) {
		out_text(o, "    ");
		info_text_string(o, p, r->engine);
		if (r->interval)
			out_format(o, "%sone sample per %s", r->engine == STRINGS_NONE ? "" : ", ",
				   weight_interval(text, unit, r->interval));
		out_text(o, "\n");
	}
	if (r->is_live) {
		out_text(o, "    live ");
		caption_moment(o, p);
		out_text(o, "\n");
	}
	if (profile_text_is(p, r->name, "user") || profile_text_is(p, r->name, "system") ||
	    (r->has_counted && weight_shows_more(unit, r->credited, r->counted)))
		out_text(o, "    credited by what samples have met, so it may be above what was "
			    "counted\n");
	if (r->why == STRINGS_NONE)
		return;
	out_text(o, "    ");
	write_folded(o, p, r->why, 4);
	out_text(o, "\n");
}

/* The functions of the C library that transfer bytes are wrapped. */
static void write_what_passes_by(struct out *o, const struct profile *p,
				 const struct profile_process *process)
{
	for (size_t i = 0; i < process->n_resources; i++) {
		const struct profile_resource *r = &process->resources[i];

		if (!profile_text_is(p, r->name, "read") && !profile_text_is(p, r->name, "write"))
			continue;
		caption_text(
			o,
			"  read and write are without what passes by the C library's functions:\n"
			"  syscall(2), a program's own system calls, aio, io_uring and mapped "
			"files\n");
		return;
	}
}

static void write_resources(struct out *o, const struct profile *p,
			    const struct profile_process *process)
{
	size_t i;

	if (!process->n_resources)
		return;
	out_format(o, "\n%zu resource%s\n", process->n_resources,
		   process->n_resources == 1 ? "" : "s");
	for (i = 0; i < process->n_resources; i++)
		write_resource(o, p, &process->resources[i]);
	write_what_passes_by(o, p, process);
}

/* ---- a process ------------------------------------------------------------------------------- */

void info_text(struct out *o, const struct profile *p, const struct profile_process *process,
	       uint64_t missing_ns)
{
	write_identity(o, p, process);
	write_clock(o, p, process);
	write_duration(o, p, process);
	write_credit(o, p, process);
	write_not_sampled(o, p, process);
	write_own(o, p, process);
	write_calls(o, p, process);
	write_ready(o, process);
	write_children(o, process, missing_ns);
	if (!p->given_calls) {
		write_stacks(o, process);
		write_python(o, process);
		write_interrupted(o, process);
		write_losses(o, process);
	}
	write_denied(o, process);
	write_resources(o, p, process);
	write_threads(o, p, process);
	write_marks(o, p, process);
	write_modules(o, p, process);
}

void info_text_children(struct out *o, const struct children *c)
{
	char text[WEIGHT_BYTES];

	if (!c->used_ns)
		return;
	out_format(o, "\nall children %s CPU time of those that ended and were waited for\n",
		   weight_duration(text, c->used_ns));
	label(o, "");
	write_parts(o, c->used_ns, c->missing_ns);
	if (!c->missing_ns)
		return;
	label(o, "");
	out_text(o, "of processes without a sample, of which nothing else is known\n");
}
