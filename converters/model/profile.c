/* SPDX-License-Identifier: MIT */
/*
 * profile.c - frees a profile, and computes what can be read off it.
 */
#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

void profile_process_free(struct profile_process *p)
{
	free(p->args);
	free(p->threads);
	free(p->marks);
	free(p->modules);
}

void profile_module_free(struct profile_module *m)
{
	free(m->build_id);
	free(m->segments);
	m->build_id = NULL;
	m->segments = NULL;
}

void profile_modules_free(struct profile_module *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_module_free(&list[i]);
	free(list);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_processes; i++)
		profile_process_free(&p->processes[i]);
	free(p->processes);
	profile_modules_free(p->modules, p->n_modules);
	free(p->frames);
	free(p->nodes);
	if (p->calls)
		calls_clear(p->calls);
	free(p->calls);
	strings_free(p->strings);
	free(p);
}

uint64_t profile_process_lost(const struct profile_process *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(p->losses) / sizeof(p->losses[0]); i++)
		sum += p->losses[i]; /* this cannot overflow, as the builder has checked */
	return sum;
}

/* The part after the last slash, or the whole path if nothing follows the slash. */
static struct event_text base_name(struct event_text path)
{
	const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
	size_t before = slash ? (size_t)(slash + 1 - path.bytes) : 0;

	if (before < path.length)
		return (struct event_text){path.bytes + before, path.length - before};
	return path;
}

struct event_text profile_program(const struct event_process *e)
{
	struct event_text name = base_name(e->exe);

	if (!name.length && e->n_args)
		name = base_name(e->args[0]);
	return name.length ? name : (struct event_text){"[unknown program]", 17};
}
