/* SPDX-License-Identifier: MIT */
/*
 * builder_group.c - names the process, program, thread or rank that a stack belongs to.
 *
 * In: process events, threads. Out: frames that stand outermost. A thread's name may come after
 * its samples, so that its frame has only the thread's id until the input is over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"
#include "model/commands.h"
#include "model/group_names.h"

/* What tells a process's command from the others' is known when all have been read. Until then an input
 * has this before its name. */
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
		n = asprintf(&text, "%.*s", (int)name.length, name.bytes);
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

/* Rename frames from what commands were called while they were read. */
static int commands_rename(struct profile_builder *b)
{
	struct profile *p = b->profile;
	uint32_t *texts = commands_name(p->strings, p->processes, p->n_processes);
	uint32_t *names = calloc(p->n_processes + 1, sizeof(*names));
	struct id_table *placed = id_table_new();
	bool ok = texts && names && placed;

	for (size_t i = 0; ok && i < p->n_processes; i++) {
		const char *file = strings_get(p->strings, p->processes[i].file, NULL);
		char *text;
		int n = asprintf(&text, COMMAND_OF "%s", file);
		uint32_t number = take_string(b, n, text);
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

	if (b->by == PROFILE_BY_COMMAND)
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
