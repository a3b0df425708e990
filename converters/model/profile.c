/* SPDX-License-Identifier: MIT */
/*
 * profile.c - begins and finishes profiles.
 *
 * Room: model. In: a builder that has seen all inputs. Out: the profile.
 */
#include "model/profile.h"

#include <stdlib.h>

#include "model/builder.h"

void profile_process_free(struct profile_process *p)
{
	free(p->args);
	free(p->threads);
	free(p->marks);
	free(p->modules);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_processes; i++)
		profile_process_free(&p->processes[i]);
	free(p->processes);
	modules_free_list(p->modules, p->n_modules);
	free(p->frames);
	free(p->nodes);
	if (p->calls)
		calls_clear(p->calls);
	free(p->calls);
	strings_free(p->strings);
	free(p);
}

void profile_builder_free(struct profile_builder *b)
{
	if (!b)
		return;
	builder_recording_free(&b->current);
	modules_free(b->modules);
	paths_free(b->all);
	profile_free(b->profile);
	free(b);
}

static int builder_init(struct profile_builder *b)
{
	b->all = paths_new();
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
	b->profile->is_grouped = by != PROFILE_BY_NOTHING;
}

const struct event_sink *profile_builder_sink(struct profile_builder *b)
{
	return &b->sink;
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
	if (builder_group_finish(b) || (p->calls && calls_name(p->calls, p->strings))) {
		profile_builder_free(b);
		error_memory(err);
		return NULL;
	}
	b->profile = NULL;
	profile_builder_free(b);
	return p;
}

uint64_t profile_process_lost(const struct profile_process *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(p->losses) / sizeof(p->losses[0]); i++)
		sum += p->losses[i]; /* cannot overflow: the builder has checked it */
	return sum;
}
