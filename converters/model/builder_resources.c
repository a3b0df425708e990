/* SPDX-License-Identifier: MIT */
/*
 * builder_resources.c - keeps what an input says of each of its resources.
 *
 * In: resource events. Out: the resources of the process.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/builder.h"

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

int builder_resource(void *context, const struct event_resource *e, struct error *err)
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

void builder_count_cpu(struct profile_builder *b)
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
