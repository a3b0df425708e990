/* SPDX-License-Identifier: MIT */
/*
 * group_names.c - makes the names of groups of stacks.
 *
 * In: processes, threads. Out: texts.
 */
#include "model/group_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
