/* SPDX-License-Identifier: MIT */
/*
 * builder_group.c - names what stacks belong to, and selects samples by that, by time and by state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"
#include "model/profile.h"
#include "model/processes.h"

/* ---- group names ----------------------------------------------------------------------------- */
/*
 * Makes the names of groups of stacks.
 *
 * In: processes, threads. Out: texts.
 */

char *group_names_process(const struct strings *s, const struct profile_process *process)
{
	const struct event_text name = profile_program_of(s, process);
	char *text;

	return asprintf(&text, "%.*s [%llu]", (int)name.length, name.bytes ? name.bytes : "",
			(unsigned long long)process->pid) < 0
		       ? NULL
		       : text;
}

char *group_names_thread(const struct strings *s, const struct profile_process *process,
			 const struct profile_thread *thread, bool is_alone)
{
	const char *name = strings_get(s, thread->name, NULL);
	char *of = is_alone ? NULL : group_names_process(s, process), *text = NULL;

	if ((is_alone || of) &&
	    asprintf(&text, "%s%s%s%s(%s %llu)", of ? of : "", of ? " " : "", name,
		     *name ? " " : "", thread->tid ? "tid" : "thread",
		     (unsigned long long)(thread->tid ? thread->tid : thread->id)) < 0)
		text = NULL;
	free(of);
	return text;
}

char *group_names_rank(bool has_rank, uint64_t rank)
{
	char *text;

	if (!has_rank)
		return strdup("[no rank]");
	return asprintf(&text, "rank %llu", (unsigned long long)rank) < 0 ? NULL : text;
}

/* ---- builder group --------------------------------------------------------------------------- */
/*
 * Names the process, program, thread or rank that a stack belongs to.
 *
 * In: process events, threads. Out: frames that stand outermost. A thread's name may come after its
 * samples, so that its frame has only the thread's id until the input is over.
 */

/* What tells a process's command from the others', and programs of one name apart, is known when all have been read. Until
 * then this stands before the input's name, or before the program's path. */
#define COMMAND_OF "\1"

/* The string's number. Frees the text, which may be NULL. */
static uint32_t take_string(struct profile_builder *b, int n, char *text)
{
	uint32_t number;

	if (n < 0)
		return STRINGS_NONE;
	number = strings_add(b->profile->strings, text, (size_t)n);
	free(text);
	return number;
}

/* The path has the name; without one, the name stands for it. */
static int write_program(char **text, struct event_text name, struct event_text path)
{
	const struct event_text shown = path.length ? path : name;

	return asprintf(text, COMMAND_OF "%.*s", (int)shown.length, shown.bytes);
}

int builder_group_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err)
{
	struct event_text name = profile_program(e);
	char *text;
	int n;

	if (b->by == PROFILE_BY_NOTHING)
		return 0;
	if (!e->kind->has_pid)
		return error_set(err,
				 "%s: %s do not say which process they are of: --by needs "
				 "recordings",
				 e->file, e->kind->name);
	if (b->by == PROFILE_BY_EXE)
		n = write_program(&text, name, profile_program_path(e));
	else if (b->by == PROFILE_BY_COMMAND)
		n = asprintf(&text, COMMAND_OF "%s", e->file);
	else if (b->by == PROFILE_BY_RANK)
		n = (text = group_names_rank(e->has_rank, e->rank)) ? (int)strlen(text) : -1;
	else
		n = asprintf(&text, "%.*s [%llu]", (int)name.length, name.bytes,
			     (unsigned long long)e->pid);
	b->current.group = take_string(b, n, text);
	return b->current.group == STRINGS_NONE ? error_memory(err) : 0;
}

struct profile_frame builder_group_input(const struct profile_builder *b)
{
	return (struct profile_frame){PROFILE_NO_MODULE, b->current.group, 0};
}

/* With the process's name, or without. */
static uint32_t thread_name(struct profile_builder *b, const struct profile_process *process,
			    const struct profile_thread *t, bool is_alone)
{
	char *text = group_names_thread(b->profile->strings, process, t, is_alone);

	return take_string(b, text ? (int)strlen(text) : -1, text);
}

int builder_group_thread(struct profile_builder *b, uint32_t thread, struct profile_frame *f)
{
	const struct profile_thread *t = builder_thread(b, thread);

	if (!t)
		return -1;
	*f = (struct profile_frame){PROFILE_NO_MODULE,
				    thread_name(b, &b->current.process, t, false), 0};
	return f->name == STRINGS_NONE ? -1 : 0;
}

/* Rename frames from the full names of threads to the short ones. There are far fewer full names
 * than frames. */
static void frames_rename(struct profile *p, const struct id_table *full, const uint32_t *names)
{
	for (size_t i = 0; i < p->n_frames; i++) {
		struct profile_frame *f = &p->frames[i];
		uint32_t place =
			f->name == STRINGS_NONE ? ID_TABLE_NONE : id_table_find(full, f->name);

		if (place != ID_TABLE_NONE)
			f->name = names[place];
	}
}

/* What the frames of a process are called while they are read. */
static uint32_t unfinished(struct profile_builder *b, const struct profile_process *process)
{
	const struct strings *s = b->profile->strings;
	struct event_text name = profile_program_of(s, process);
	char *text;
	int n;

	if (!name.length)
		name = (struct event_text){PROFILE_UNKNOWN_PROGRAM,
					   strlen(PROFILE_UNKNOWN_PROGRAM)};
	if (b->by == PROFILE_BY_COMMAND)
		n = asprintf(&text, COMMAND_OF "%s", strings_get(s, process->file, NULL));
	else
		n = write_program(&text, name, profile_program_path_of(s, process));
	return take_string(b, n, text);
}

/* Rename frames from what commands and programs were called while they were read. */
static int commands_rename(struct profile_builder *b)
{
	struct profile *p = b->profile;
	uint32_t *texts = b->by == PROFILE_BY_COMMAND
				  ? commands_name(p->strings, p->processes, p->n_processes)
				  : commands_executables(p->strings, p->processes, p->n_processes);
	uint32_t *names = calloc(p->n_processes + 1, sizeof(*names));
	struct id_table *placed = id_table_new();
	bool ok = texts && names && placed;

	for (size_t i = 0; ok && i < p->n_processes; i++) {
		uint32_t number = unfinished(b, &p->processes[i]);
		uint32_t place =
			number == STRINGS_NONE ? ID_TABLE_NONE : id_table_add(placed, number);

		ok = place != ID_TABLE_NONE;
		if (ok)
			names[place] = texts[i];
	}
	if (ok)
		frames_rename(p, placed, names);
	id_table_free(placed);
	free(names);
	free(texts);
	return ok ? 0 : -1;
}

/* If there is only one process, its name is left out of the threads' names. */
int builder_group_finish(struct profile_builder *b)
{
	struct profile *p = b->profile;
	const struct profile_process *process = p->processes;
	struct id_table *full;
	uint32_t *names;
	bool ok = true;

	if (b->by == PROFILE_BY_COMMAND || b->by == PROFILE_BY_EXE)
		return commands_rename(b);
	if (b->by != PROFILE_BY_THREAD || p->n_processes != 1)
		return 0;
	full = id_table_new();
	names = calloc(process->n_threads + 1, sizeof(*names));
	for (size_t i = 0; full && names && ok && i < process->n_threads; i++) {
		uint32_t number = thread_name(b, process, &process->threads[i], false);
		uint32_t place =
			number == STRINGS_NONE ? ID_TABLE_NONE : id_table_add(full, number);

		ok = place != ID_TABLE_NONE;
		if (ok)
			names[place] = thread_name(b, process, &process->threads[i], true);
	}
	if (full && names && ok)
		frames_rename(p, full, names);
	ok = ok && full && names;
	id_table_free(full);
	free(names);
	return ok ? 0 : -1;
}

/* ---- builder selection ----------------------------------------------------------------------- */
/*
 * Selects samples by time, by state and by thread.
 *
 * In: times, states, threads. Out: whether a sample is selected. A thread's name may come after its
 * samples, so that threads are selected when the input is over.
 */

/* Keep the text of a selection in the profile. */
static int keep_text(struct profile_builder *b, const char *text, const char **kept,
		     struct error *err)
{
	struct strings *strings = b->profile->strings;
	uint32_t number = strings_add(strings, text, strlen(text));

	if (number == STRINGS_NONE)
		return error_memory(err);
	*kept = strings_get(strings, number, NULL);
	return 0;
}

int profile_builder_part(struct profile_builder *b, const struct profile_part *part,
			 struct error *err)
{
	struct profile *p = b->profile;

	b->part = *part;
	p->from_ns = part->from_ns;
	p->to_ns = part->to_ns;
	p->at = part->at;
	if (part->threads && keep_text(b, part->threads_text, &p->threads, err))
		return -1;
	return part->state ? keep_text(b, part->states_text, &p->states, err) : 0;
}

static bool has_times(const struct profile_builder *b)
{
	return b->part.from_ns || b->part.to_ns;
}

int builder_part_process(struct profile_builder *b, const struct event_process *e,
			 struct error *err)
{
	bool is_later = b->part.run_ns && e->start_ns > b->part.run_ns;

	b->current.after_ns = is_later ? e->start_ns - b->part.run_ns : 0;
	if (b->part.threads && !e->kind->has_threads)
		return error_set(err, "%s: has no threads: --thread needs recordings", e->file);
	if (has_times(b) && !e->kind->has_times)
		return error_set(err, "%s: has no times: --from and --to need recordings", e->file);
	return 0;
}

/* A time that does not fit, as a forged input may have it, becomes the largest one. */
static uint64_t run_time(const struct profile_builder *b, uint64_t time_us)
{
	uint64_t ns;

	if (__builtin_mul_overflow(time_us, 1000, &ns) ||
	    __builtin_add_overflow(ns, b->current.after_ns, &ns))
		return UINT64_MAX;
	return ns;
}

bool builder_part_takes(const struct profile_builder *b, const struct event_sample *e)
{
	uint64_t ns;

	if (b->part.state && !(e->state < BUILDER_STATES && b->current.takes_state[e->state]))
		return false;
	if (!has_times(b))
		return true;
	ns = run_time(b, e->time_us);
	return ns >= b->part.from_ns && (!b->part.to_ns || ns < b->part.to_ns);
}

int builder_state(void *context, const struct event_state *e, struct error *err)
{
	struct profile_builder *b = context;

	if (builder_moments_state(b, e))
		return error_memory(err);
	if (b->part.state && e->number < BUILDER_STATES)
		b->current.takes_state[e->number] = b->part.state(b->part.context, e->name);
	return 0;
}

bool builder_has_threads(const struct profile_builder *b)
{
	return b->by == PROFILE_BY_THREAD || b->part.threads;
}

/* Drop the nodes below which no sample was selected. */
static void drop_unused(const struct cct *paths, unsigned char *dropped)
{
	memset(dropped, 1, paths->n_nodes);
	for (size_t i = paths->n_nodes; --i > 0;) {
		const struct profile_node *node = &paths->nodes[i];

		dropped[i] &= !node->self_weight && !node->self_hits;
		dropped[node->parent] &= dropped[i];
	}
}

/* Drop the trees of threads that are not selected. A node below the root is a thread, and all nodes
 * below it belong to this thread. */
static void drop_threads(struct profile_builder *b, const unsigned char *wanted,
			 unsigned char *dropped)
{
	const struct recording *r = &b->current;

	for (size_t i = 1; i < r->paths->n_nodes; i++) {
		const struct profile_node *node = &r->paths->nodes[i];
		uint32_t id = node->parent ? 0 : builder_base_thread(r, (uint32_t)i);

		dropped[i] |= node->parent ? dropped[node->parent]
					   : !wanted[id_table_find(r->threads, id)];
		if (!dropped[i])
			continue;
		b->profile->weight -= node->self_weight;
		b->profile->hits -= node->self_hits;
	}
}

static int choose_threads(struct profile_builder *b, unsigned char *dropped, struct error *err)
{
	struct recording *r = &b->current;
	unsigned char *wanted = calloc(r->process.n_threads + 1, 1);
	int status;

	if (!wanted)
		return error_memory(err);
	status = b->part.threads(b->part.context, b->profile->strings, &r->process, wanted, err);
	if (!status)
		drop_threads(b, wanted, dropped);
	for (size_t i = 0; !status && i < r->process.n_threads; i++) {
		struct profile_thread *t = &r->process.threads[i];

		if (wanted[i])
			continue;
		slices_clear(&t->times);
		t->shown_weight = t->shown_hits = 0;
	}
	free(wanted);
	return status;
}

int builder_part_nodes(struct profile_builder *b, unsigned char **dropped, struct error *err)
{
	const struct cct *paths = b->current.paths;

	*dropped = NULL;
	if (!b->part.threads && !b->part.state && !has_times(b))
		return 0;
	*dropped = calloc(paths->n_nodes, 1);
	if (!*dropped)
		return error_memory(err);
	if (b->part.state || has_times(b))
		drop_unused(paths, *dropped);
	if (!b->part.threads || !choose_threads(b, *dropped, err))
		return 0;
	free(*dropped);
	return -1;
}
