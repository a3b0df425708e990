/* SPDX-License-Identifier: MIT */
/*
 * builder.c - folds the events of an input into the profile.
 *
 * In: events. Out: processes, threads, modules; samples go on to builder_cct.c.
 */
#include "model/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- process --------------------------------------------------------------------------------- */

static bool process_fill(struct profile_builder *b, const struct event_process *e)
{
	struct profile_process *p = &b->current.process;
	bool ok = true;

	*p = (struct profile_process){
		.file = strings_add(b->profile->strings, e->file, strlen(e->file)),
		.exe = builder_text(b, e->exe, &ok),
		.started_as = builder_text(b, e->started_as, &ok),
		.cwd = builder_text(b, e->cwd, &ok),
		.host = builder_text(b, e->host, &ok),
		.machine = builder_text(b, e->machine, &ok),
		.recorder = builder_text(b, e->recorder, &ok),
		.engine = builder_text(b, e->engine, &ok),
		.engine_why = builder_text(b, e->engine_why, &ok),
		.unwinder = builder_text(b, e->unwinder, &ok),
		.unwinder_why = builder_text(b, e->unwinder_why, &ok),
		.pid = e->pid,
		.ppid = e->ppid,
		.start_ns = e->start_ns,
		.interval = e->interval,
		.scale = e->scale,
		.cpu_before_ns = e->cpu_before_ns,
		.tree_pid = e->tree_pid,
		.tree_start = e->tree_start,
		.has_rank = e->has_rank,
		.rank = e->rank,
		.note = STRINGS_NONE,
		.cut_why = STRINGS_NONE,
	};
	p->args = calloc(e->n_args ? e->n_args : 1, sizeof(*p->args));
	for (; p->args && p->n_args < e->n_args; p->n_args++) {
		struct event_text arg = e->args[p->n_args];
		p->args[p->n_args] = arg.length ? builder_text(b, arg, &ok) : b->empty;
	}
	p->ancestors = calloc(e->n_ancestors + 1, sizeof(*p->ancestors));
	for (; p->ancestors && p->n_ancestors < e->n_ancestors; p->n_ancestors++)
		p->ancestors[p->n_ancestors] = e->ancestors[p->n_ancestors];
	return ok && p->args && p->ancestors && p->file != STRINGS_NONE;
}

/* Weights of different resources cannot be added up. An input that was cut before it said what it
 * counts has no weights. */
static int resource_check(struct profile_builder *b, const struct event_process *e,
			  struct error *err)
{
	struct profile *p = b->profile;
	bool ok = true;
	uint32_t resource = builder_text(b, e->resource, &ok);
	uint32_t unit = builder_text(b, e->unit, &ok);

	if (!ok)
		return error_memory(err);
	if (resource == STRINGS_NONE)
		return 0;
	if (unit == STRINGS_NONE)
		unit = b->empty;
	if (p->resource == b->empty)
		b->resource_file = b->current.process.file;
	else if (p->resource != resource || p->unit != unit)
		return error_set(err,
				 "%s: it counts \"%.40s\" in \"%.40s\", but %s \"%.40s\" in "
				 "\"%.40s\": choose one with --resource",
				 builder_file(b), strings_get(p->strings, resource, NULL),
				 strings_get(p->strings, unit, NULL),
				 strings_get(p->strings, b->resource_file, NULL),
				 strings_get(p->strings, p->resource, NULL),
				 strings_get(p->strings, p->unit, NULL));
	p->resource = resource;
	p->unit = unit;
	return 0;
}

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct profile_builder *b = context;
	struct recording *r = &b->current;

	(void)next;
	if (r->open)
		return error_set(err, "%s: a second process in one input", e->file);
	r->open = true;
	r->by_name = e->kind->has_names;
	r->depth = r->keep = r->n_ids = r->n_stacks = 0;
	r->has_incomplete = r->has_map = false;
	r->has_owner = e->has_owner;
	r->owner = e->owner;
	r->last_thread = ID_TABLE_NONE;
	r->threads_size = r->marks_size = r->resources_size = 0;
	memset(r->takes_state, 0, sizeof(r->takes_state));
	r->paths = cct_new();
	r->bases = id_table_new();
	r->threads = id_table_new();
	r->reasons = id_table_new();
	if (!process_fill(b, e) || !r->paths || !r->bases || !r->threads || !r->reasons)
		return error_memory(err);
	if (builder_calls_process(b, e, err) || resource_check(b, e, err) ||
	    builder_group_process(b, e, err) || builder_part_process(b, e, err))
		return -1;
	if (e->kind->has_names)
		b->profile->by_name = e->kind;
	builder_moments_begin(b, e);
	return 0;
}

/* A new engine replaces that of the process record. */
static int on_engine(void *context, const struct event_engine *e, struct error *err)
{
	struct profile_builder *b = context;
	bool ok = true;

	b->current.process.engine = builder_text(b, e->engine, &ok);
	b->current.process.engine_why = builder_text(b, e->why, &ok);
	return ok ? 0 : error_memory(err);
}

/* ---- modules, threads, marks, losses --------------------------------------------------------- */

static int on_module(void *context, const struct event_module *e, struct error *err)
{
	struct profile_builder *b = context;

	return modules_describe(b->modules, b->profile->strings, e, builder_file(b), err);
}

static int on_thread(void *context, const struct event_thread *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_thread *t = builder_thread(b, e->id);
	bool ok = true;
	uint32_t name = builder_text(b, e->name, &ok);

	if (!t || !ok)
		return error_memory(err);
	t->tid = e->tid;
	t->start_us = e->start_us;
	t->name = name == STRINGS_NONE ? b->empty : name;
	return 0;
}

static int on_mark(void *context, const struct event_mark *e, struct error *err)
{
	struct profile_builder *b = context;
	struct recording *r = &b->current;
	struct profile_process *p = &r->process;
	struct profile_thread *t;
	bool ok = true;
	uint32_t name;

	if (p->n_marks == PROFILE_MARKS_MAX) {
		p->marks_left_out++;
		return 0;
	}
	t = builder_thread(b, e->thread);
	name = builder_text(b, e->name, &ok);
	if (!t || !ok ||
	    !array_reserve(&p->marks, &r->marks_size, p->n_marks + 1, sizeof(*p->marks)))
		return error_memory(err);
	p->marks[p->n_marks++] = (struct profile_mark){
		.time_us = e->time_us,
		.thread = (uint32_t)(t - p->threads),
		.name = name == STRINGS_NONE ? b->empty : name,
	};
	return 0;
}

/* Each count is the total so far: the last one of each reason counts. */
static int on_loss(void *context, const struct event_loss *e, struct error *err)
{
	struct profile_builder *b = context;
	struct recording *r = &b->current;

	if (e->reason < CPS_LOSS_COUNT) {
		r->process.losses[e->reason] = e->count;
		return 0;
	}
	uint32_t place = id_table_add(r->reasons, e->reason);
	if (place == ID_TABLE_NONE || !array_reserve(&r->reason_counts, &r->reasons_size, place + 1,
						     sizeof(*r->reason_counts)))
		return error_memory(err);
	r->reason_counts[place] = e->count;
	return 0;
}

/* Add up the reasons that have no place of their own, and check that the sum of all fits. */
static int losses_close(struct profile_builder *b, struct error *err)
{
	struct recording *r = &b->current;
	uint64_t *unknown = &r->process.losses[CPS_LOSS_COUNT];
	uint64_t sum = 0;
	bool overflow = false;

	for (size_t i = 0; i < id_table_count(r->reasons); i++)
		overflow |= __builtin_add_overflow(*unknown, r->reason_counts[i], unknown);
	for (size_t i = 0; i <= CPS_LOSS_COUNT; i++)
		overflow |= __builtin_add_overflow(sum, r->process.losses[i], &sum);
	if (overflow)
		return error_set(err, "%s: overflow: more than 2^64 samples lost", builder_file(b));
	return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The process joins the others. */
static int builder_close(struct profile_builder *b, struct error *err)
{
	struct recording *r = &b->current;
	struct profile *p = b->profile;

	if (losses_close(b, err) || builder_merge(b, err))
		return -1;
	if (!array_reserve(&p->processes, &b->processes_size, p->n_processes + 1,
			   sizeof(*p->processes)))
		return error_memory(err);
	p->processes[p->n_processes++] = r->process;
	recording_close(r);
	return 0;
}

static int on_end(void *context, const struct event_end *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *p = &b->current.process;

	p->ended = true;
	if (b->profile->calls)
		b->profile->calls->has_totals &= e->has_totals;
	p->stop = e->stop;
	p->stop_error = e->error;
	if (e->note)
		p->note = strings_add(b->profile->strings, e->note, strlen(e->note));
	p->end_us = e->time_us;
	p->cpu_ns = e->cpu_ns;
	p->own_ns = e->own_ns;
	p->own_kernel_ns = e->own_kernel_ns;
	p->children_ns = e->children_ns;
	p->denied = e->denied;
	p->denied_error = e->denied_error;
	p->python = e->python;
	p->python_unnamed = e->python_unnamed;
	p->interrupted = e->interrupted;
	p->ticks = e->ticks;
	p->bytes = e->bytes;
	builder_count_cpu(b);
	return builder_close(b, err);
}

static int on_cut(void *context, const struct event_cut *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *p = &b->current.process;

	if (b->profile->calls)
		b->profile->calls->has_totals = false;
	p->stop = e->stop;
	p->stop_error = e->error;
	p->children_ns = e->children_ns;
	p->unended = e->how;
	p->cut_offset = e->offset;
	p->cut_why = strings_add(b->profile->strings, e->why, strlen(e->why));
	if (p->cut_why == STRINGS_NONE)
		return error_memory(err);
	return builder_close(b, err);
}

static void builder_sink_init(struct profile_builder *b)
{
	b->sink = (struct event_sink){
		.context = b,
		.process = on_process,
		.module = on_module,
		.thread = on_thread,
		.state = builder_state,
		.sample = builder_sample,
		.self = builder_self,
		.call = builder_call,
		.loss = on_loss,
		.mark = on_mark,
		.engine = on_engine,
		.jit = builder_jit,
		.resource = builder_resource,
		.end = on_end,
		.cut = on_cut,
	};
}

void profile_builder_free(struct profile_builder *b)
{
	if (!b)
		return;
	builder_recording_free(&b->current);
	modules_free(b->modules);
	cct_free(b->all);
	profile_free(b->profile);
	free(b);
}

static int builder_init(struct profile_builder *b)
{
	b->all = cct_new();
	b->modules = modules_new();
	b->profile = calloc(1, sizeof(*b->profile));
	if (!b->all || !b->modules || !b->profile)
		return -1;
	b->profile->strings = strings_new();
	if (!b->profile->strings)
		return -1;
	b->empty = strings_add(b->profile->strings, "", 0);
	b->incomplete = strings_add(b->profile->strings, PROFILE_INCOMPLETE,
				    sizeof(PROFILE_INCOMPLETE) - 1);
	if (b->empty == STRINGS_NONE || b->incomplete == STRINGS_NONE)
		return -1;
	b->profile->resource = b->empty;
	b->profile->unit = b->empty;
	builder_sink_init(b);
	return 0;
}

struct profile_builder *profile_builder_new(struct error *err)
{
	struct profile_builder *b = calloc(1, sizeof(*b));

	if (!b || builder_init(b)) {
		profile_builder_free(b);
		error_memory(err);
		return NULL;
	}
	return b;
}

void profile_builder_group(struct profile_builder *b, enum profile_by by)
{
	b->by = by;
	b->profile->by = by;
}

void profile_builder_want_squares(struct profile_builder *b)
{
	b->wants_squares = true;
}

const struct event_sink *profile_builder_sink(struct profile_builder *b)
{
	return &b->sink;
}

static bool is_succeeded_by(const struct profile_process *p, const struct profile_process *q)
{
	return p->pid && p->pid == q->pid && p->host == q->host && p->tree_pid == q->tree_pid &&
	       p->tree_start == q->tree_start && p->start_ns < q->start_ns;
}

/* If the same process has begun another recording, this one has no end because of an exec that the
 * recorder has not seen. */
static int note_successors(struct profile *p)
{
	char why[512];

	for (size_t i = 0; i < p->n_processes; i++) {
		struct profile_process *process = &p->processes[i];
		const char *was;
		size_t j = 0;

		if (process->ended ||
		    (process->unended != EVENT_KILLED && process->unended != EVENT_LEFT))
			continue;
		was = process->unended == EVENT_LEFT ? EVENT_LEFT_TEXT : EVENT_KILLED_TEXT;
		while (j < p->n_processes && !is_succeeded_by(process, &p->processes[j]))
			j++;
		if (j == p->n_processes)
			continue;
		process->unended = EVENT_BECAME;
		snprintf(why, sizeof(why), EVENT_BECAME_TEXT "%s",
			 strings_get(p->strings, process->cut_why, NULL) + strlen(was));
		process->cut_why = strings_add(p->strings, why, strlen(why));
		if (process->cut_why == STRINGS_NONE)
			return -1;
	}
	return 0;
}

struct profile *profile_builder_finish(struct profile_builder *b, struct error *err)
{
	struct profile *p = b->profile;

	if (b->current.open) {
		profile_builder_free(b);
		error_set(err, "an input was not read to its end");
		return NULL;
	}
	modules_take(b->modules, &p->modules, &p->n_modules);
	p->frames = b->all->frames;
	p->n_frames = b->all->n_frames;
	p->nodes = b->all->nodes;
	p->n_nodes = b->all->n_nodes;
	p->squares = b->all->squares;
	b->all->frames = NULL;
	b->all->nodes = NULL;
	b->all->squares = (struct squares){0};
	if (note_successors(p) || builder_group_finish(b) ||
	    (p->calls && calls_name(p->calls, p->strings))) {
		profile_builder_free(b);
		error_memory(err);
		return NULL;
	}
	b->profile = NULL;
	profile_builder_free(b);
	return p;
}
