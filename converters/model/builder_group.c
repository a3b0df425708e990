/* SPDX-License-Identifier: MIT */
/*
 * builder_group.c - names the process, program or thread that a stack belongs to.
 *
 * In: process events, threads. Out: frames that stand outermost. A thread's name may come after
 * its samples, so that its frame has only the thread's id until the input is over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"

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

/* "worker (tid 1235)" */
static uint32_t thread_name(struct profile_builder *b, const struct profile_thread *t)
{
	const char *name = strings_get(b->profile->strings, t->name, NULL);
	char *text;
	int n;

	n = asprintf(&text, "%s%s(%s %llu)", name, *name ? " " : "", t->tid ? "tid" : "thread",
		     (unsigned long long)(t->tid ? t->tid : t->id));
	return take_string(b, n, text);
}

/* "cc1 [1234] worker (tid 1235)" */
static uint32_t thread_full_name(struct profile_builder *b, const struct profile_thread *t)
{
	uint32_t name = thread_name(b, t);
	char *text;

	if (name == STRINGS_NONE)
		return name;
	int n = asprintf(&text, "%s %s", strings_get(b->profile->strings, b->current.group, NULL),
			 strings_get(b->profile->strings, name, NULL));
	return take_string(b, n, text);
}

int builder_group_thread(struct profile_builder *b, uint32_t thread, struct profile_frame *f)
{
	const struct profile_thread *t = builder_thread(b, thread);

	if (!t)
		return -1;
	*f = (struct profile_frame){PROFILE_NO_MODULE, thread_full_name(b, t), 0};
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

/* If there is only one process, its name is left out of the threads' names. */
int builder_group_finish(struct profile_builder *b)
{
	struct profile *p = b->profile;
	const struct profile_process *process = p->processes;
	struct id_table *full;
	uint32_t *names;
	bool ok = true;

	if (b->by != PROFILE_BY_THREAD || p->n_processes != 1)
		return 0;
	full = id_table_new();
	names = calloc(process->n_threads + 1, sizeof(*names));
	for (size_t i = 0; full && names && ok && i < process->n_threads; i++) {
		uint32_t number = thread_full_name(b, &process->threads[i]);
		uint32_t place =
			number == STRINGS_NONE ? ID_TABLE_NONE : id_table_add(full, number);

		ok = place != ID_TABLE_NONE;
		if (ok)
			names[place] = thread_name(b, &process->threads[i]);
	}
	if (full && names && ok)
		frames_rename(p, full, names);
	ok = ok && full && names;
	id_table_free(full);
	free(names);
	return ok ? 0 : -1;
}
