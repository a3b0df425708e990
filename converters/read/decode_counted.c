/* SPDX-License-Identifier: MIT */
/*
 * decode_counted.c - reads what the recorder counted and which blocks were freed.
 *
 * In: records of version 4, and what was credited. Out: freed events, and at the end an event for
 * each resource.
 */
#include <string.h>

#include "read/decode_stream.h"

static int counted_wrong(struct decode_stream *s, const char *wrong)
{
	s->wrong = wrong;
	return -1;
}

int decode_resources_counted(struct decode_stream *s, struct cursor *c)
{
	struct decode_resources *r = s->resources;
	uint64_t resource, counted, events;

	while (c->at != c->end) {
		if (!cursor_varint(c, &resource) || !cursor_varint(c, &counted) ||
		    !cursor_varint(c, &events))
			return counted_wrong(s, c->wrong);
		if (resource >= r->n)
			return counted_wrong(s, "a resource is unknown");
		r->list[resource].counted = counted;
		r->list[resource].events = events;
		r->list[resource].has_counted = true;
	}
	return 0;
}

int decode_resources_freed(struct decode_stream *s, struct cursor *c)
{
	struct event_freed e = {0};
	uint64_t later;
	int64_t more;

	if (!cursor_varint(c, &e.time_us))
		return counted_wrong(s, c->wrong);
	while (c->at != c->end) {
		if (!cursor_zigzag(c, &more) || !cursor_varint(c, &later))
			return counted_wrong(s, c->wrong);
		e.number += (uint64_t)more;
		if (!e.number || e.number > INT64_MAX ||
		    __builtin_add_overflow(e.time_us, later, &e.time_us))
			return counted_wrong(s, "a number or a time is out of range");
		if (s->sink->freed && s->sink->freed(s->sink->context, &e, s->err))
			return -1;
	}
	return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The states of the resource's atoms, each once, and what was credited in them. Returns how many there
 * are. Sums are checked by the caller, who adds up the same weights. */
static size_t states_of(const struct decode_resources *r, uint32_t number,
			struct event_text states[DECODE_ATOMS], uint64_t weights[DECODE_ATOMS])
{
	size_t n = 0, k;

	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		const struct decode_atom *a = &r->atoms[i];

		if (!a->state || !decode_atom_has(a, number))
			continue;
		states[n] = event_text_of(a->state);
		for (k = 0; k < n && strcmp(states[k].bytes, a->state) != 0;)
			k++;
		weights[k] = (k < n ? weights[k] : 0) + a->weight;
		n += k == n;
	}
	return n;
}

static int resource_push(struct decode_stream *s, uint32_t number)
{
	struct event_text states[DECODE_ATOMS];
	uint64_t weights[DECODE_ATOMS];
	const struct decode_resources *r = s->resources;
	const struct decode_resource *from = &r->list[number];
	struct event_resource e = {
		.name = event_text_of(from->name),
		.unit = event_text_of(from->unit),
		.engine = event_text_of(from->engine),
		.why = event_text_of(from->why),
		.interval = from->interval,
		.is_time = from->flags & CPS_RESOURCE_IS_TIME,
		.is_live = decode_resources_is_live(from),
		.states = states,
		.in_states = weights,
		.n_states = states_of(r, number, states, weights),
		.has_counted = from->has_counted,
		.counted = from->counted,
		.events = from->events,
	};

	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		const struct decode_atom *a = &r->atoms[i];

		if (!decode_atom_has(a, number))
			continue;
		e.samples += a->hits;
		if (__builtin_add_overflow(e.credited, a->weight, &e.credited))
			return counted_wrong(s,
					     "overflow: the sum of weights does not fit 64 bits");
	}
	/* Something was there, so that this count says nothing. */
	if (e.credited && !e.counted)
		e.has_counted = false;
	return s->sink->resource ? s->sink->resource(s->sink->context, &e, s->err) : 0;
}

int decode_resources_end(struct decode_stream *s)
{
	for (uint32_t i = 0; i < s->resources->n; i++)
		if (resource_push(s, i))
			return -1;
	return 0;
}
