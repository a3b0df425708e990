/* SPDX-License-Identifier: MIT */
/*
 * builder_counted.c - makes a tree of call paths of the machines that counted calls.
 *
 * In: functions, machines and their states. Out: struct profile_counted, of all inputs.
 */
#include <stdlib.h>

#include "base/array.h"
#include "model/builder.h"

static const struct profile_frame what_was_cut = {PROFILE_NO_MODULE, STRINGS_NONE, CPS_CUT_ADDRESS};

void builder_counted_clear(struct recording *r)
{
	for (size_t i = 0; i < r->n_machines; i++) {
		free(r->machines[i].nodes);
		free(r->machines[i].functions);
	}
	cct_free(r->calls);
	free(r->called);
	free(r->machines);
	r->calls = NULL;
	r->called = NULL;
	r->machines = r->machine = NULL;
	r->n_called = r->called_size = r->n_machines = r->machines_size = 0;
}

int builder_called(void *context, const struct event_called *e, struct error *err)
{
	struct recording *r = &((struct profile_builder *)context)->current;
	const struct profile_frame frame = {
		.module = e->frame.module == EVENT_NO_MODULE ? PROFILE_NO_MODULE : e->frame.module,
		.name = STRINGS_NONE,
		.address = e->frame.address,
	};
	uint32_t number;

	if (!e->number) { /* all begins anew */
		builder_counted_clear(r);
		r->process.calls = (struct profile_calls){0};
	}
	if (!r->calls)
		r->calls = cct_new();
	if (!r->calls ||
	    !array_reserve(&r->called, &r->called_size, r->n_called + 1, sizeof(*r->called)))
		return error_memory(err);
	number = cct_frame(r->calls, frame);
	if (number == CCT_NONE)
		return error_memory(err);
	r->called[r->n_called++] = number;
	return 0;
}

/* Add a state. Those of a machine come in order. */
static int add_state(struct machine *m, uint32_t node, uint32_t function)
{
	if (!array_reserve(&m->nodes, &m->nodes_size, m->n + 1, sizeof(*m->nodes)) ||
	    !array_reserve(&m->functions, &m->functions_size, m->n + 1, sizeof(*m->functions)))
		return -1;
	m->nodes[m->n] = node;
	m->functions[m->n++] = function;
	return 0;
}

int builder_machine(void *context, const struct event_machine *e, struct error *err)
{
	struct recording *r = &((struct profile_builder *)context)->current;

	if (e->number >= r->n_machines) {
		if (!array_reserve(&r->machines, &r->machines_size, r->n_machines + 1,
				   sizeof(*r->machines)))
			return error_memory(err);
		r->machines[r->n_machines] = (struct machine){0};
		if (add_state(&r->machines[r->n_machines++], 0, CCT_NONE))
			return error_memory(err);
	}
	r->machine = &r->machines[e->number];
	r->machine->transitions = e->transitions;
	r->machine->missed = e->missed;
	return 0;
}

/* The node of a path of which only the caller is known, which may be none. */
static uint32_t cut_node(struct recording *r, uint32_t caller, uint32_t function)
{
	uint32_t node = cct_child(r->calls, 0, &what_was_cut);

	if (node != CCT_NONE && caller != CCT_NONE)
		node = cct_step(r->calls, node, caller);
	return node == CCT_NONE ? node : cct_step(r->calls, node, function);
}

int builder_counted(void *context, const struct event_counted *e, struct error *err)
{
	struct recording *r = &((struct profile_builder *)context)->current;
	struct profile_calls *sum = &r->process.calls;
	struct machine *m = r->machine;
	uint32_t function = r->called[e->function];
	uint32_t node = e->is_cut ? cut_node(r, m->functions[e->from], function)
				  : cct_step(r->calls, m->nodes[e->from], function);

	if (node == CCT_NONE || add_state(m, node, function))
		return error_memory(err);
	r->calls->nodes[node].self_weight += e->entered; /* the decoder has checked their sum */
	r->calls->nodes[node].self_hits += e->direct;
	sum->calls += e->entered + e->direct;
	sum->states++;
	sum->cut += e->is_cut;
	return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void describe(struct recording *r)
{
	struct profile_calls *sum = &r->process.calls;

	sum->has_any = r->calls != NULL;
	sum->functions = r->n_called;
	sum->machines = r->n_machines;
	for (size_t i = 0; i < r->n_machines; i++) {
		sum->transitions += r->machines[i].transitions;
		sum->missed += r->machines[i].missed;
	}
}

static int merge(struct profile_builder *b, struct recording *r, uint32_t *map)
{
	struct cct *from = r->calls;

	for (size_t i = 0; i < from->n_frames; i++) {
		struct profile_frame *f = &from->frames[i];

		if (f->module == PROFILE_NO_MODULE)
			continue;
		f->module = modules_resolve(b->modules, f->module);
		if (f->module == PROFILE_NO_MODULE)
			return -1;
	}
	for (size_t i = 1; i < from->n_nodes; i++) {
		const struct profile_node *n = &from->nodes[i];

		map[i] = cct_child(b->counted, map[n->parent], &from->frames[n->frame]);
		if (map[i] == CCT_NONE)
			return -1;
		b->counted->nodes[map[i]].self_weight += n->self_weight;
		b->counted->nodes[map[i]].self_hits += n->self_hits;
	}
	return 0;
}

int builder_counted_merge(struct profile_builder *b, struct error *err)
{
	struct recording *r = &b->current;
	uint32_t *map;
	int status;

	describe(r);
	if (!r->calls || r->process.calls.has_lost)
		return 0;
	if (__builtin_add_overflow(b->n_calls, r->process.calls.calls, &b->n_calls))
		return error_set(err, "%s: overflow: the number of calls does not fit 64 bits",
				 builder_file(b));
	map = calloc(r->calls->n_nodes, sizeof(*map));
	if (!b->counted)
		b->counted = cct_new();
	status = map && b->counted ? merge(b, r, map) : -1;
	free(map);
	return status ? error_memory(err) : 0;
}

int builder_counted_finish(struct profile_builder *b)
{
	struct profile *p = b->profile;
	struct cct *c = b->counted;

	if (!c)
		return 0;
	p->counted = calloc(1, sizeof(*p->counted));
	if (!p->counted)
		return -1;
	*p->counted = (struct profile_counted){c->frames, c->nodes, c->n_frames, c->n_nodes, false};
	c->frames = NULL;
	c->nodes = NULL;
	for (size_t i = 1; i < p->counted->n_nodes; i++) {
		const struct profile_frame *f = &p->counted->frames[p->counted->nodes[i].frame];

		p->counted->has_cut |= f->module == PROFILE_NO_MODULE && f->name == STRINGS_NONE &&
				       f->address == CPS_CUT_ADDRESS;
	}
	return 0;
}
