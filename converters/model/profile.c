/* SPDX-License-Identifier: MIT */
/*
 * profile.c - what was read: the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/profile.h"

/* ---- squares --------------------------------------------------------------------------------- */

int squares_add(struct squares *s, size_t node, unsigned __int128 value)
{
	if (!value)
		return 0;
	if (node >= s->n) {
		if (!array_reserve(&s->of, &s->size, node + 1, sizeof(*s->of)))
			return -1;
		memset(s->of + s->n, 0, (node + 1 - s->n) * sizeof(*s->of));
		s->n = node + 1;
	}
	s->of[node] = squares_sum(s->of[node], value);
	return 0;
}

void squares_free(struct squares *s)
{
	free(s->of);
	*s = (struct squares){0};
}

/* ---- profile --------------------------------------------------------------------------------- */
/*
 * Frees a profile, and computes what can be read off it.
 */

void profile_process_free(struct profile_process *p)
{
	free(p->args);
	free(p->ancestors);
	for (size_t i = 0; i < p->n_threads; i++)
		slices_clear(&p->threads[i].times);
	free(p->threads);
	for (size_t i = 0; i < p->n_resources; i++)
		free(p->resources[i].states);
	free(p->resources);
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
	for (size_t i = 0; i < p->n_shorts; i++)
		profile_process_free(&p->shorts[i]);
	free(p->shorts);
	profile_modules_free(p->modules, p->n_modules);
	free(p->frames);
	free(p->nodes);
	for (size_t i = 0; i < p->n_columns; i++) {
		slices_clear(&p->columns[i].times);
		moments_clear(&p->columns[i].moments);
	}
	moments_clear(&p->moments);
	free(p->columns);
	squares_free(&p->squares);
	if (p->given_calls)
		given_calls_clear(p->given_calls);
	free(p->given_calls);
	if (p->counted) {
		free(p->counted->frames);
		free(p->counted->nodes);
	}
	free(p->counted);
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

/* That of the process, or NULL. */
static const struct profile_resource *own_resource(const struct profile *p,
						   const struct profile_process *process)
{
	for (size_t i = 0; i < process->n_resources; i++)
		if (process->resources[i].name == p->resource)
			return &process->resources[i];
	return NULL;
}

bool profile_text_is(const struct profile *p, uint32_t string, const char *text)
{
	const char *its;
	size_t n;

	if (string == STRINGS_NONE)
		return false;
	its = strings_get(p->strings, string, &n);
	return n == strlen(text) && memcmp(its, text, n) == 0;
}

bool profile_is_measured(const struct profile *p)
{
	return profile_text_is(p, p->resource, EVENT_CALLS_TIME);
}

bool profile_is_of_calls(const struct profile *p, uint32_t resource)
{
	static const char *const engines[] = {"malloc",	 "wrappers",   "calls",
					      "linkage", "cpsample.h", NULL};

	if (resource == STRINGS_NONE || profile_text_is(p, resource, "real"))
		return false;
	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];

			if (r->name != resource)
				continue;
			for (const char *const *e = engines; *e; e++)
				if (profile_text_is(p, r->engine, *e))
					return true;
			return false;
		}
	return false;
}

struct profile profile_of_calls(const struct profile *p)
{
	const struct profile_counted *c = p->counted;

	return (struct profile){
		.strings = p->strings,
		.processes = p->processes,
		.n_processes = p->n_processes,
		.modules = p->modules,
		.n_modules = p->n_modules,
		.frames = c->frames,
		.n_frames = c->n_frames,
		.nodes = c->nodes,
		.n_nodes = c->n_nodes,
		.packs = p->packs,
	};
}

bool profile_counted(const struct profile *p, uint64_t *counted)
{
	*counted = 0;
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_resource *r = own_resource(p, &p->processes[i]);

		if (!r || !r->has_counted || __builtin_add_overflow(*counted, r->counted, counted))
			return false;
	}
	return p->n_processes > 0;
}

enum profile_nothing profile_nothing_of(const struct profile_resource *r)
{
	if (!r->has_counted || r->counted || r->credited)
		return PROFILE_SOMETHING;
	return r->why == STRINGS_NONE ? PROFILE_NOT_HAPPENED : PROFILE_NOT_COUNTED;
}

enum profile_nothing profile_nothing(const struct profile *p, uint32_t resource)
{
	enum profile_nothing all = PROFILE_SOMETHING;

	for (size_t i = 0; i < p->n_processes; i++)
		for (size_t k = 0; k < p->processes[i].n_resources; k++) {
			const struct profile_resource *r = &p->processes[i].resources[k];
			enum profile_nothing its = profile_nothing_of(r);

			if (r->name != resource)
				continue;
			if (its == PROFILE_SOMETHING)
				return its;
			all = its == PROFILE_NOT_COUNTED || !all ? its : all;
		}
	return all;
}

static int add_states(struct strings *all, const struct profile *p,
		      const struct profile_resource *r)
{
	for (size_t i = 0; i < r->n_states; i++) {
		size_t n;
		const char *name = strings_get(p->strings, r->states[i].name, &n);

		if (strings_add(all, name, n) == STRINGS_NONE)
			return -1;
	}
	return 0;
}

struct strings *profile_states(const struct profile *p, uint32_t resource)
{
	struct strings *all = strings_new();

	for (size_t i = 0; all && i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		for (size_t k = 0; all && k < process->n_resources; k++) {
			const struct profile_resource *r = &process->resources[k];

			if (r->name != resource || !add_states(all, p, r))
				continue;
			strings_free(all);
			all = NULL;
		}
	}
	return all;
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
	struct event_text name = base_name(e->started_as.length ? e->started_as : e->exe);

	if (!name.length && e->n_args)
		name = base_name(e->args[0]);
	return name.length ? name
			   : (struct event_text){PROFILE_UNKNOWN_PROGRAM,
						 strlen(PROFILE_UNKNOWN_PROGRAM)};
}

static struct event_text text_of(const struct strings *s, uint32_t string)
{
	struct event_text text = {NULL, 0};

	if (string != STRINGS_NONE)
		text.bytes = strings_get(s, string, &text.length);
	return text;
}

/* As far as the program's name needs it; *first gets the argument. */
static struct event_process
process_of(const struct strings *s, const struct profile_process *process, struct event_text *first)
{
	*first = text_of(s, process->n_args ? process->args[0] : STRINGS_NONE);
	return (struct event_process){
		.exe = text_of(s, process->exe),
		.started_as = text_of(s, process->started_as),
		.args = first,
		.n_args = process->n_args ? 1 : 0,
	};
}

struct event_text profile_program_of(const struct strings *s, const struct profile_process *process)
{
	struct event_text first;
	const struct event_process e = process_of(s, process, &first);

	return e.exe.length || e.started_as.length || first.length ? profile_program(&e)
								   : (struct event_text){NULL, 0};
}

static bool ends_with(struct event_text path, struct event_text name)
{
	const size_t before = path.length - name.length - 1;

	return path.length > name.length && path.bytes[before] == '/' &&
	       !memcmp(path.bytes + before + 1, name.bytes, name.length);
}

struct event_text profile_program_path(const struct event_process *e)
{
	const struct event_text name = profile_program(e);

	return ends_with(e->exe, name)		? e->exe
	       : ends_with(e->started_as, name) ? e->started_as
						: (struct event_text){NULL, 0};
}

struct event_text profile_program_path_of(const struct strings *s,
					  const struct profile_process *process)
{
	struct event_text first;
	const struct event_process e = process_of(s, process, &first);

	return profile_program_path(&e);
}

const char *profile_machine(const struct profile *p)
{
	uint32_t machine = STRINGS_NONE;

	for (size_t i = 0; i < p->n_processes; i++) {
		uint32_t its = p->processes[i].machine;

		if (its != STRINGS_NONE && machine != STRINGS_NONE && its != machine)
			return NULL;
		if (its != STRINGS_NONE)
			machine = its;
	}
	return machine == STRINGS_NONE ? NULL : strings_get(p->strings, machine, NULL);
}
