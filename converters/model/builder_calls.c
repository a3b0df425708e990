/* SPDX-License-Identifier: MIT */
/*
 * builder_calls.c - credits functions and arcs of call graphs that come without stacks.
 *
 * In: selfs and calls. Out: struct calls, of all inputs.
 */
#include <stdlib.h>

#include "model/builder.h"

/* Call stacks and calls without stacks cannot be added up: the sum would have neither the stacks'
 * call paths nor the numbers of calls. */
static int check_kind(const struct profile_builder *b, const struct event_process *e,
		      struct error *err)
{
	const struct profile *p = b->profile;
	const char *first;

	if (!p->n_processes || !p->calls == !e->kind->has_calls)
		return 0;
	first = strings_get(p->strings, p->processes[0].file, NULL);
	return error_set(err, "%s: it has %s, but %s has %s: convert them separately", e->file,
			 e->kind->has_calls ? "calls without stacks" : "stacks", first,
			 e->kind->has_calls ? "stacks" : "calls without stacks");
}

int builder_calls_process(struct profile_builder *b, const struct event_process *e,
			  struct error *err)
{
	struct profile *p = b->profile;

	if (check_kind(b, e, err))
		return -1;
	if (!e->kind->has_calls)
		return 0;
	if (b->by != PROFILE_BY_NOTHING)
		return error_set(err, "%s: it has calls without stacks: --by needs recordings",
				 e->file);
	if (!p->calls) {
		p->calls = calloc(1, sizeof(*p->calls));
		if (!p->calls)
			return error_memory(err);
		p->calls->has_inclusive = p->calls->has_totals = true;
	}
	p->calls->has_inclusive &= e->kind->has_inclusive;
	p->calls->has_totals &= e->kind->has_inclusive;
	return 0;
}

static int overflow(const struct profile_builder *b, const char *what, struct error *err)
{
	return error_set(err, "%s: overflow: %s does not fit 64 bits", builder_file(b), what);
}

int builder_self(void *context, const struct event_self *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile_process *process = &b->current.process;
	struct profile *p = b->profile;
	struct calls_function *f;
	uint32_t number = calls_function(p->calls, p->strings, &e->function);

	if (number == CALLS_NONE)
		return error_memory(err);
	if (__builtin_add_overflow(p->weight, e->weight, &p->weight))
		return overflow(b, "the sum of weights", err);
	if (__builtin_add_overflow(p->hits, e->hits, &p->hits))
		return overflow(b, "the number of samples", err);
	f = &p->calls->functions[number];
	f->self_weight += e->weight; /* a part of the sums above */
	f->self_hits += e->hits;
	if (__builtin_add_overflow(f->inclusive_weight, e->inclusive_weight, &f->inclusive_weight))
		return overflow(b, "the inclusive weight of a function", err);
	process->weight += e->weight;
	process->weight_complete += e->weight;
	process->weight_by_mark[CPS_MARK_COMPLETE] += e->weight;
	process->samples += e->hits;
	return 0;
}

int builder_call(void *context, const struct event_call *e, struct error *err)
{
	struct profile_builder *b = context;
	struct profile *p = b->profile;
	uint32_t caller = calls_function(p->calls, p->strings, &e->caller);
	uint32_t callee = calls_function(p->calls, p->strings, &e->callee);
	struct calls_arc *arc;

	if (caller == CALLS_NONE || callee == CALLS_NONE)
		return error_memory(err);
	arc = calls_arc(p->calls, caller, callee);
	if (!arc)
		return error_memory(err);
	if (__builtin_add_overflow(arc->count, e->count, &arc->count))
		return overflow(b, "the number of calls", err);
	if (__builtin_add_overflow(arc->weight, e->weight, &arc->weight))
		return overflow(b, "the inclusive weight of a call", err);
	return 0;
}
