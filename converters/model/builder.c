/* SPDX-License-Identifier: MIT */
/*
 * builder.c - folds the events of an input into the profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/builder.h"

/* ---- recording ------------------------------------------------------------------------------- */
/*
 * The input that is being read: its name, its texts, its threads.
 *
 * All parts of the builder use these functions.
 */

const char *builder_file(const struct profile_builder *b)
{
	return strings_get(b->profile->strings, b->current.process.file, NULL);
}

/* Free what the current input holds. */
static void recording_close(struct recording *r)
{
	cct_free(r->paths);
	id_table_free(r->bases);
	id_table_free(r->threads);
	id_table_free(r->reasons);
	perf_map_free(r->jit);
	moments_clear(&r->moments);
	builder_counted_clear(r);
	r->jit = NULL;
	r->paths = NULL;
	r->bases = NULL;
	r->threads = NULL;
	r->reasons = NULL;
	r->open = false;
}

static void builder_recording_free(struct recording *r)
{
	if (r->open)
		profile_process_free(&r->process);
	recording_close(r);
	free(r->walk);
	free(r->base_nodes);
	free(r->of_ids);
	free(r->stacks);
	free(r->reason_counts);
}

/* The number of a text; STRINGS_NONE for an absent one and, with *ok = false, without memory.
 * The number of a text. STRINGS_NONE: the text is absent or, with *ok = false, memory is out.
 * */
static uint32_t builder_text(struct profile_builder *b, struct event_text text, bool *ok)
{
	if (!text.length)
		return STRINGS_NONE;
	uint32_t number = strings_add(b->profile->strings, text.bytes, text.length);
	if (number == STRINGS_NONE)
		*ok = false;
	return number;
}

struct profile_thread *builder_thread(struct profile_builder *b, uint32_t id)
{
	struct recording *r = &b->current;
	struct profile_process *p = &r->process;
	uint32_t place = id_table_add(r->threads, id);

	if (place == ID_TABLE_NONE)
		return NULL;
	if (place < p->n_threads)
		return &p->threads[place];
	if (!array_reserve(&p->threads, &r->threads_size, p->n_threads + 1, sizeof(*p->threads)))
		return NULL;
	p->threads[p->n_threads] = (struct profile_thread){.id = id, .name = b->empty};
	return &p->threads[p->n_threads++];
}

/* ---- builder resources ----------------------------------------------------------------------- */
/*
 * Keeps what an input says of each of its resources.
 *
 * In: resource events. Out: the resources of the process.
 */

/* The states of the resource. NULL without memory, or if it has none. */
static struct profile_state *copy_states(struct profile_builder *b, const struct event_resource *e,
					 bool *ok)
{
	struct profile_state *list = e->n_states ? calloc(e->n_states, sizeof(*list)) : NULL;

	*ok &= list || !e->n_states;
	for (size_t i = 0; list && i < e->n_states; i++) {
		uint32_t name = builder_text(b, e->states[i], ok);

		list[i].name = name == STRINGS_NONE ? b->empty : name;
		list[i].credited = e->in_states ? e->in_states[i] : 0;
	}
	return list;
}

/* The sink's `resource`. */
static int builder_resource(void *context, const struct event_resource *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *p = &b->current.process;
	bool ok = true;
	const struct profile_resource r = {
		.name = builder_text(b, e->name, &ok),
		.unit = builder_text(b, e->unit, &ok),
		.engine = builder_text(b, e->engine, &ok),
		.why = builder_text(b, e->why, &ok),
		.states = copy_states(b, e, &ok),
		.n_states = e->n_states,
		.interval = e->interval,
		.credited = e->credited,
		.samples = e->samples,
		.counted = e->counted,
		.events = e->events,
		.is_time = e->is_time,
		.is_live = e->is_live,
		.has_counted = e->has_counted,
	};

	if (!ok || !array_reserve(&p->resources, &b->current.resources_size, p->n_resources + 1,
				  sizeof(*p->resources))) {
		free(r.states);
		return error_memory(err);
	}
	p->resources[p->n_resources++] = r;
	return 0;
}

/* CPU time is counted by the kernel, and the end record says how much it was. */
static void builder_count_cpu(struct profile_builder *b)
{
	struct profile_process *p = &b->current.process;
	const struct strings *s = b->profile->strings;

	for (size_t i = 0; i < p->n_resources; i++) {
		struct profile_resource *r = &p->resources[i];

		if (r->has_counted || !p->cpu_ns ||
		    strcmp(strings_get(s, r->name, NULL), "cpu") != 0)
			continue;
		r->counted = p->cpu_ns;
		r->has_counted = true;
	}
}

/* ---- builder moments ------------------------------------------------------------------------- */
/*
 * Keeps each sample with its time and thread, if that is wanted.
 *
 * In: samples of the current input. Out: struct moments of all inputs.
 */

/* When something happened that long after the process began, of the real-time clock, in ns. A
 * time that does not fit, as a forged input may have it, becomes the largest one. */
static uint64_t builder_clock_time(const struct profile_process *p, uint64_t time_us)
{
	uint64_t ns;

	if (__builtin_mul_overflow(time_us, 1000, &ns) ||
	    __builtin_add_overflow(ns, p->start_ns, &ns))
		return UINT64_MAX;
	return ns;
}

/* An input begins, it has a state, a selected sample is credited to a node. -1: memory. */
static void builder_moments_begin(struct profile_builder *b, const struct event_process *e)
{
	struct recording *r = &b->current;

	for (size_t i = 0; i < BUILDER_STATES; i++)
		r->state_names[i] = STRINGS_NONE;
	r->moments.kept = b->profile->moments.kept;
	if (r->moments.kept && !e->kind->has_times)
		moments_drop(&r->moments, MOMENTS_UNTIMED);
}

int builder_moments_state(struct profile_builder *b, const struct event_state *e)
{
	bool ok = true;

	if (b->profile->moments.kept && e->number < BUILDER_STATES)
		b->current.state_names[e->number] = builder_text(b, e->name, &ok);
	return ok ? 0 : -1;
}

static int builder_moments_add(struct profile_builder *b, const struct event_sample *e,
			       uint32_t thread, uint32_t node)
{
	struct recording *r = &b->current;
	const struct profile_thread *t;

	if (r->moments.kept != MOMENTS_KEPT)
		return 0;
	t = builder_thread(b, thread);
	if (!t)
		return -1;
	const struct moment sample = {
		.time_ns = builder_clock_time(&r->process, e->time_us),
		.weight = e->weight,
		.hits = e->hits < UINT32_MAX ? (uint32_t)e->hits : UINT32_MAX,
		.node = node,
		.thread = (uint32_t)(t - r->process.threads),
		.state = e->state < BUILDER_STATES ? r->state_names[e->state] : STRINGS_NONE,
	};

	return moments_add(&r->moments, &sample);
}

static int merge_threads(struct profile_builder *b)
{
	struct profile *p = b->profile;
	const struct profile_process *process = &b->current.process;
	const struct event_text program = profile_program_of(p->strings, process);
	uint32_t name = strings_add(p->strings, program.bytes ? program.bytes : "", program.length);

	for (size_t i = 0; i < process->n_threads; i++) {
		const struct moments_thread thread = {
			.pid = process->pid,
			.tid = process->threads[i].tid ? process->threads[i].tid
						       : process->threads[i].id,
			.process_ns = process->start_ns,
			.name = process->threads[i].name,
			.program = name,
		};

		if (moments_add_thread(&p->moments, &thread))
			return -1;
	}
	return name == STRINGS_NONE ? -1 : 0;
}

int builder_moments_merge(struct profile_builder *b, const uint32_t *nodes)
{
	struct profile *p = b->profile;
	size_t first = p->moments.n_threads;

	if (!p->moments.kept)
		return 0;
	return merge_threads(b) ||
			       moments_join(&p->moments, &b->current.moments, first, nodes, NULL)
		       ? -1
		       : 0;
}

/* ---- builder time ---------------------------------------------------------------------------- */
/*
 * Keeps when each thread used how much.
 *
 * In: samples. Out: slices of time for each thread. A sample stands for the time before it: as much
 * as it weighs, if that is a time.
 */

void profile_builder_time(struct profile_builder *b, struct profile_keeps keeps)
{
	b->profile->has_times = keeps.times;
	b->profile->moments.kept = keeps.moments ? MOMENTS_KEPT : MOMENTS_NOT_WANTED;
}

int builder_time(struct profile_builder *b, const struct event_sample *e, uint32_t thread,
		 uint32_t node)
{
	const struct profile *p = b->profile;
	uint64_t to, before;
	struct profile_thread *t;

	if (builder_moments_add(b, e, thread, node))
		return -1;
	if (!p->has_times)
		return 0;
	t = builder_thread(b, thread);
	if (!t)
		return -1;
	to = builder_clock_time(&b->current.process, e->time_us);
	before = to - b->current.process.start_ns;
	if (strcmp(strings_get(p->strings, p->unit, NULL), "ns") != 0)
		before = 0;
	return slices_add(&t->times, to - (e->weight < before ? e->weight : before), to, e->weight);
}

int builder_time_column(struct profile_column *c, const struct profile *of)
{
	for (size_t i = 0; of->has_times && i < of->n_processes; i++)
		for (size_t k = 0; k < of->processes[i].n_threads; k++)
			if (slices_join(&c->times, &of->processes[i].threads[k].times))
				return -1;
	return 0;
}

/* ---- builder --------------------------------------------------------------------------------- */
/*
 * Folds the events of an input into the profile.
 *
 * In: events. Out: processes, threads, modules; samples go on to builder_cct.c.
 */

/* ---- process --------------------------------------------------------------------------------- */

static bool process_fill(struct profile_builder *b, const struct event_process *e)
{
	struct profile_process *p = &b->current.process;
	bool ok = true;

	*p = (struct profile_process){
		.file = strings_add(b->profile->strings, e->file, strlen(e->file)),
		.exe = builder_text(b, e->exe, &ok),
		.started_as = builder_text(b, e->started_as, &ok),
		.launched = builder_text(b, e->launched, &ok),
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
		.began_ns = e->began_ns,
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

	if (losses_close(b, err) || builder_counted_merge(b, err) || builder_merge(b, err))
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
	if (b->profile->given_calls)
		b->profile->given_calls->has_totals &= e->has_totals;
	p->stop = e->stop;
	p->stop_error = e->error;
	if (e->note)
		p->note = strings_add(b->profile->strings, e->note, strlen(e->note));
	p->end_us = e->time_us;
	p->cpu_ns = e->cpu_ns;
	p->own_ns = e->own_ns;
	p->own_kernel_ns = e->own_kernel_ns;
	p->calls.hooks_ns = e->hooks_ns;
	p->calls.has_lost = e->has_lost_calls;
	p->children_ns = e->children_ns;
	p->denied = e->denied;
	p->denied_error = e->denied_error;
	p->python = e->python;
	p->python_unnamed = e->python_unnamed;
	p->ready_ns = e->ready_ns;
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

	if (b->profile->given_calls)
		b->profile->given_calls->has_totals = false;
	p->stop = e->stop;
	p->stop_error = e->error;
	p->children_ns = e->children_ns;
	p->calls.until_us = e->calls_us;
	p->calls.hooks_ns = e->hooks_ns;
	p->calls.has_lost = e->has_lost_calls;
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
		.called = builder_called,
		.machine = builder_machine,
		.counted = builder_counted,
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
	cct_free(b->counted);
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
	b->all->frames = NULL;
	b->all->nodes = NULL;
	if (profile_is_measured(p)) {
		p->total_squares = 0;
	} else {
		p->squares = b->all->squares;
		b->all->squares = (struct squares){0};
	}
	if (note_successors(p) || builder_group_finish(b) || builder_counted_finish(b) ||
	    (p->given_calls && given_calls_name(p->given_calls, p->strings))) {
		profile_builder_free(b);
		error_memory(err);
		return NULL;
	}
	b->profile = NULL;
	profile_builder_free(b);
	return p;
}
