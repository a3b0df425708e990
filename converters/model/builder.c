/* SPDX-License-Identifier: MIT */
/*
 * builder.c - folds the events of an input into the profile.
 *
 * Room: model. In: events. Out: processes, threads, modules; samples go on to builder_paths.c.
 */
#include "model/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const char *builder_file(const struct profile_builder *b)
{
	return strings_get(b->profile->strings, b->current.process.file, NULL);
}

static void recording_close(struct recording *r)
{
	paths_free(r->paths);
	numbers_free(r->threads);
	numbers_free(r->reasons);
	jit_map_free(r->jit);
	r->jit = NULL;
	r->paths = NULL;
	r->threads = NULL;
	r->reasons = NULL;
	r->open = false;
}

void builder_recording_free(struct recording *r)
{
	if (r->open)
		profile_process_free(&r->process);
	recording_close(r);
	free(r->walk);
	free(r->of_ids);
	free(r->stacks);
	free(r->reason_counts);
}

/* ---- process --------------------------------------------------------------------------------- */

/* The number of a text; STRINGS_NONE for an absent one and, with *ok = false, without memory. */
static uint32_t text_number(struct profile_builder *b, struct event_text text, bool *ok)
{
	if (!text.length)
		return STRINGS_NONE;
	uint32_t number = strings_add(b->profile->strings, text.bytes, text.length);
	if (number == STRINGS_NONE)
		*ok = false;
	return number;
}

static bool process_fill(struct profile_builder *b, const struct event_process *e)
{
	struct profile_process *p = &b->current.process;
	bool ok = true;

	*p = (struct profile_process){
		.file = strings_add(b->profile->strings, e->file, strlen(e->file)),
		.exe = text_number(b, e->exe, &ok),
		.cwd = text_number(b, e->cwd, &ok),
		.host = text_number(b, e->host, &ok),
		.machine = text_number(b, e->machine, &ok),
		.recorder = text_number(b, e->recorder, &ok),
		.engine = text_number(b, e->engine, &ok),
		.engine_why = text_number(b, e->engine_why, &ok),
		.pid = e->pid,
		.ppid = e->ppid,
		.start_ns = e->start_ns,
		.interval = e->interval,
		.scale = e->scale,
		.cpu_before_ns = e->cpu_before_ns,
		.tree_pid = e->tree_pid,
		.tree_start = e->tree_start,
		.note = STRINGS_NONE,
		.cut_why = STRINGS_NONE,
	};
	p->args = calloc(e->n_args ? e->n_args : 1, sizeof(*p->args));
	for (; p->args && p->n_args < e->n_args; p->n_args++) {
		struct event_text arg = e->args[p->n_args];
		p->args[p->n_args] = arg.length ? text_number(b, arg, &ok) : b->empty;
	}
	return ok && p->args && p->file != STRINGS_NONE;
}

/* Only equal things can be added up. An input that was cut before it said what it counts has
 * nothing to add. */
static int resource_check(struct profile_builder *b, const struct event_process *e,
			  struct error *err)
{
	struct profile *p = b->profile;
	bool ok = true;
	uint32_t resource = text_number(b, e->resource, &ok);
	uint32_t unit = text_number(b, e->unit, &ok);

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

static int on_process(void *context, const struct event_process *e, struct error *err)
{
	struct profile_builder *b = context;
	struct recording *r = &b->current;

	if (r->open)
		return error_set(err, "%s: a second process in one input", e->file);
	r->open = true;
	r->by_name = e->has_stacks_by_name;
	r->depth = r->keep = r->n_ids = r->n_stacks = 0;
	r->has_incomplete = r->has_map = false;
	r->has_owner = e->has_owner;
	r->owner = e->owner;
	r->last_thread = NUMBERS_NONE;
	r->threads_size = r->marks_size = 0;
	r->paths = paths_new();
	r->threads = numbers_new();
	r->reasons = numbers_new();
	if (!process_fill(b, e) || !r->paths || !r->threads || !r->reasons)
		return error_memory(err);
	if (builder_calls_process(b, e, err) || resource_check(b, e, err) ||
	    builder_group_process(b, e, err) || builder_part_process(b, e, err))
		return -1;
	b->profile->by_name |= e->has_stacks_by_name;
	return 0;
}

/* Engine and reason of the process record are over. */
static int on_engine(void *context, const struct event_engine *e, struct error *err)
{
	struct profile_builder *b = context;
	bool ok = true;

	b->current.process.engine = text_number(b, e->engine, &ok);
	b->current.process.engine_why = text_number(b, e->why, &ok);
	return ok ? 0 : error_memory(err);
}

/* ---- modules, threads, marks, losses --------------------------------------------------------- */

static int on_module(void *context, const struct event_module *e, struct error *err)
{
	struct profile_builder *b = context;

	return modules_describe(b->modules, b->profile->strings, e, builder_file(b), err);
}

struct profile_thread *builder_thread(struct profile_builder *b, uint32_t id)
{
	struct recording *r = &b->current;
	struct profile_process *p = &r->process;
	uint32_t place = numbers_add(r->threads, id);

	if (place == NUMBERS_NONE)
		return NULL;
	if (place < p->n_threads)
		return &p->threads[place];
	if (!array_reserve(&p->threads, &r->threads_size, p->n_threads + 1, sizeof(*p->threads)))
		return NULL;
	p->threads[p->n_threads] = (struct profile_thread){.id = id, .name = b->empty};
	return &p->threads[p->n_threads++];
}

static int on_thread(void *context, const struct event_thread *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_thread *t = builder_thread(b, e->id);
	bool ok = true;
	uint32_t name = text_number(b, e->name, &ok);

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
	name = text_number(b, e->name, &ok);
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

/* Counts are totals: the last one of each reason holds. */
static int on_loss(void *context, const struct event_loss *e, struct error *err)
{
	struct profile_builder *b = context;
	struct recording *r = &b->current;

	if (e->reason < CPS_LOSS_COUNT) {
		r->process.losses[e->reason] = e->count;
		return 0;
	}
	uint32_t place = numbers_add(r->reasons, e->reason);
	if (place == NUMBERS_NONE || !array_reserve(&r->reason_counts, &r->reasons_size, place + 1,
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

	for (size_t i = 0; i < numbers_count(r->reasons); i++)
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
	p->ticks = e->ticks;
	p->bytes = e->bytes;
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
	p->cut_offset = e->offset;
	p->cut_why = strings_add(b->profile->strings, e->why, strlen(e->why));
	if (p->cut_why == STRINGS_NONE)
		return error_memory(err);
	return builder_close(b, err);
}

void builder_sink_init(struct profile_builder *b)
{
	b->sink = (struct event_sink){
		.context = b,
		.process = on_process,
		.module = on_module,
		.thread = on_thread,
		.sample = builder_sample,
		.self = builder_self,
		.call = builder_call,
		.loss = on_loss,
		.mark = on_mark,
		.engine = on_engine,
		.jit = builder_jit,
		.end = on_end,
		.cut = on_cut,
	};
}
