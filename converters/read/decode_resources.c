/* SPDX-License-Identifier: MIT */
/*
 * decode_resources.c - knows the resources of a stream and the atoms of its samples.
 *
 * In: records of version 4, samples with their atoms. Out: process events until the sink takes a
 * resource; then its states and samples.
 *
 * A resource may be described in the midst of the stream. If it is the one that the sink takes, it
 * still gets the modules, threads and so on that came before.
 */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/decode_stream.h"

/* The sink until a resource is taken. */
static const struct event_sink nowhere = {0};

static int resources_wrong(struct decode_stream *s, const char *wrong)
{
	s->wrong = wrong;
	return -1;
}

/* NULL for a text that is absent; *ok becomes false if memory is out. */
static char *text_copy(struct event_text text, bool *ok)
{
	char *copy = text.length ? strndup(text.bytes, text.length) : NULL;

	*ok &= copy || !text.length;
	return copy;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* ---- the sink takes a resource --------------------------------------------------------------- */

static int state_push(struct decode_stream *s, unsigned atom)
{
	const struct decode_atom *a = &s->resources->atoms[atom];
	const struct event_state e = {atom + 1, event_text_of(a->state)};

	return a->state && a->is_taken && s->sink->state
		       ? s->sink->state(s->sink->context, &e, s->err)
		       : 0;
}

static void atom_take(const struct decode_resources *r, struct decode_atom *a)
{
	a->is_taken = r->is_taken && decode_atom_has(a, r->taken);
}

/* Push what the sink has missed. */
static int kept_push(struct decode_stream *s)
{
	struct decode_resources *r = s->resources;
	const bool has_gap = s->calls.has_gap;
	uint64_t head[2];

	decode_calls_forget(&s->calls);
	s->calls.has_gap = has_gap; /* what is kept has it, too */
	for (size_t at = 0; at < r->kept_bytes; at += sizeof(head) + head[1]) {
		memcpy(head, r->kept + at, sizeof(head));
		if (decode_record(s, head[0], r->kept + at + sizeof(head), head[1]))
			return -1;
	}
	for (unsigned i = 0; i < DECODE_ATOMS; i++) {
		atom_take(r, &r->atoms[i]);
		if (state_push(s, i))
			return -1;
	}
	return 0;
}

bool decode_resources_is_live(const struct decode_resource *r)
{
	return !strcmp(r->name, DECODE_LIVE) || r->flags & CPS_RESOURCE_IS_LIVE;
}

static int resource_offer(struct decode_stream *s, uint32_t number)
{
	struct decode_resources *r = s->resources;
	int result;

	s->sink = r->first;
	result = decode_record_offer(s, r->process, r->process_bytes, &r->list[number]);
	if (result == EVENT_DECLINED) {
		s->sink = &nowhere;
		return 0;
	}
	s->is_declined = result == EVENT_ENOUGH;
	if (result)
		return -1;
	r->is_taken = true;
	r->taken = number;
	if (!decode_resources_is_live(&r->list[number]))
		return kept_push(s);
	r->live = s->sink;
	s->sink = &nowhere;
	return 0;
}

/* Only these records become events that a sink has to know. */
int decode_resources_keep(struct decode_stream *s, uint64_t tag, const unsigned char *payload,
			  size_t n)
{
	struct decode_resources *r = s->resources;
	const uint64_t head[2] = {tag, n};

	if (r->is_taken || (tag != CPS_TAG_MODULE && tag != CPS_TAG_THREAD && tag != CPS_TAG_LOSS &&
			    tag != CPS_TAG_MARK && tag != CPS_TAG_JIT && tag != CPS_TAG_CALLED &&
			    tag != CPS_TAG_CALLS))
		return 0;
	if (!array_reserve(&r->kept, &r->kept_size, r->kept_bytes + sizeof(head) + n, 1))
		return error_memory(s->err);
	memcpy(r->kept + r->kept_bytes, head, sizeof(head));
	memcpy(r->kept + r->kept_bytes + sizeof(head), payload, n);
	r->kept_bytes += sizeof(head) + n;
	return 0;
}

/* ---- resources ------------------------------------------------------------------------------- */

struct resource_fields {
	uint64_t id, scale, interval, flags;
	struct event_text name, unit, engine, why;
};

#define IN_RESOURCE(member) offsetof(struct resource_fields, member)

static const struct decode_field resource_fields[] = {
	{CPS_RESOURCE_ID, FIELD_NUMBER, IN_RESOURCE(id)},
	{CPS_RESOURCE_NAME, FIELD_TEXT, IN_RESOURCE(name)},
	{CPS_RESOURCE_UNIT, FIELD_TEXT, IN_RESOURCE(unit)},
	{CPS_RESOURCE_SCALE, FIELD_NUMBER, IN_RESOURCE(scale)},
	{CPS_RESOURCE_INTERVAL, FIELD_NUMBER, IN_RESOURCE(interval)},
	{CPS_RESOURCE_ENGINE, FIELD_TEXT, IN_RESOURCE(engine)},
	{CPS_RESOURCE_WHY, FIELD_TEXT, IN_RESOURCE(why)},
	{CPS_RESOURCE_FLAGS, FIELD_NUMBER, IN_RESOURCE(flags)},
	{0},
};

static void resource_free(struct decode_resource *r)
{
	free(r->name);
	free(r->unit);
	free(r->engine);
	free(r->why);
}

/* Set resource number f->id. A record may come again: what was counted must be the same, and the
 * rest is replaced. */
static int resource_set(struct decode_stream *s, const struct resource_fields *f)
{
	struct decode_resources *r = s->resources;
	struct decode_resource *old = &r->list[f->id], new = *old;
	bool ok = true, is_new = f->id == r->n;

	new.scale = f->scale;
	new.interval = f->interval;
	new.flags = f->flags;
	new.name = text_copy(f->name, &ok);
	new.unit = text_copy(f->unit, &ok);
	new.engine = text_copy(f->engine, &ok);
	new.why = text_copy(f->why, &ok);
	if (!ok || (!is_new && (!is_same(old->name, new.name) || !is_same(old->unit, new.unit) ||
				old->scale != new.scale))) {
		resource_free(&new);
		return ok ? resources_wrong(s, "a resource is described in two ways")
			  : error_memory(s->err);
	}
	resource_free(old);
	*old = new;
	r->n += is_new;
	return is_new && !r->is_taken ? resource_offer(s, (uint32_t)f->id) : 0;
}

int decode_resources_resource(struct decode_stream *s, struct cursor *c)
{
	struct resource_fields f = {.scale = 1};
	uint64_t number;

	while (c->at != c->end)
		if (!decode_field_read(c, resource_fields, &f, &number))
			return resources_wrong(s, c->wrong);
	if (!f.name.length || !f.unit.length)
		return resources_wrong(s, "it does not say what is counted");
	if (!f.scale)
		return resources_wrong(s, "its scale is 0");
	if (f.id > s->resources->n || f.id >= CPS_RESOURCES_MAX)
		return resources_wrong(s, "its number is not the next one");
	return resource_set(s, &f);
}

int decode_resources_calls_time(struct decode_stream *s)
{
	struct decode_resources *r = s->resources;
	struct decode_atom *a = &r->atoms[DECODE_ATOMS - 1];
	const struct resource_fields f = {
		.id = r->n,
		.scale = 1,
		.name = event_text_of(EVENT_CALLS_TIME),
		.unit = event_text_of("ns"),
		.engine = event_text_of("cycles"),
		.flags = CPS_RESOURCE_IS_TIME,
	};

	if (r->has_calls_time)
		return 0;
	r->has_calls_time = true;
	if (a->is_known || a->hits || a->weight || r->n == CPS_RESOURCES_MAX)
		return resources_wrong(s, "there is no room for a resource of times");
	*a = (struct decode_atom){.is_known = true, .is_time = true, .scale = 1, .grain = 1};
	a->resources[r->n / 64] |= UINT64_C(1) << r->n % 64;
	if (resource_set(s, &f))
		return -1;
	atom_take(r, a);
	return 0;
}

int decode_resources_engine(struct decode_stream *s, const struct event_engine *e)
{
	struct decode_resource *r = &s->resources->list[0];
	bool ok = true;

	free(r->engine);
	free(r->why);
	r->engine = text_copy(e->engine, &ok);
	r->why = text_copy(e->why, &ok);
	if (!ok)
		return error_memory(s->err);
	if (!s->resources->is_taken || s->resources->taken != 0 || !s->sink->engine)
		return 0;
	return s->sink->engine(s->sink->context, e, s->err);
}

int decode_resources_begin(struct decode_stream *s, const struct event_process *e,
			   uint64_t atom_bits, const unsigned char *payload, size_t n)
{
	const struct resource_fields f = {
		.name = e->resource,
		.unit = e->unit,
		.scale = e->scale,
		.interval = e->interval,
		.engine = e->engine,
		.why = e->engine_why,
	};
	struct decode_resources *r;

	if (atom_bits > CPS_ATOM_BITS_MAX)
		return resources_wrong(s, "its samples have too many kinds");
	s->has_process = true;
	s->resources = r = calloc(1, sizeof(*r));
	if (!r)
		return error_memory(s->err);
	r->atom_bits = (unsigned)atom_bits;
	r->first = s->sink;
	r->process = malloc(n);
	if (!r->process)
		return error_memory(s->err);
	memcpy(r->process, payload, n);
	r->process_bytes = n;
	/* Samples whose atom has no record are of resource 0. */
	r->atoms[0] = (struct decode_atom){.scale = e->scale, .resources = {1}};
	return resource_set(s, &f);
}

void decode_resources_free(struct decode_stream *s)
{
	struct decode_resources *r = s->resources;

	for (uint32_t i = 0; r && i < r->n; i++)
		resource_free(&r->list[i]);
	for (unsigned i = 0; r && i < DECODE_ATOMS; i++)
		free(r->atoms[i].state);
	if (r) {
		free(r->process);
		free(r->kept);
		live_heap_clear(&r->blocks);
	}
	free(r);
	s->resources = NULL;
}

/* ---- atoms ----------------------------------------------------------------------------------- */

struct atom_fields {
	uint64_t id, resource, grain, flags;
	struct event_text state;
};

#define IN_ATOM(member) offsetof(struct atom_fields, member)

static const struct decode_field atom_fields[] = {
	{CPS_ATOM_ID, FIELD_NUMBER, IN_ATOM(id)},
	{CPS_ATOM_STATE, FIELD_TEXT, IN_ATOM(state)},
	{CPS_ATOM_RESOURCE, FIELD_NUMBER, IN_ATOM(resource)}, /* repeated */
	{CPS_ATOM_GRAIN, FIELD_NUMBER, IN_ATOM(grain)},
	{CPS_ATOM_FLAGS, FIELD_NUMBER, IN_ATOM(flags)},
	{0},
};

/* The atom is counted in another resource. All of them must count alike. */
static const char *atom_add(const struct decode_resources *r, struct decode_atom *a,
			    uint64_t resource, const struct decode_resource **first)
{
	const struct decode_resource *new;

	if (resource >= r->n)
		return "its resource is unknown";
	new = &r->list[resource];
	if (!*first)
		*first = new;
	if (strcmp((*first)->unit, new->unit) != 0 || (*first)->scale != new->scale)
		return "its resources differ in unit or scale";
	a->resources[resource / 64] |= UINT64_C(1) << resource % 64;
	a->scale = new->scale;
	return NULL;
}

static const char *atom_read(const struct decode_resources *r, struct cursor *c,
			     struct atom_fields *f, struct decode_atom *a)
{
	const struct decode_resource *first = NULL;
	const char *wrong = NULL;
	uint64_t number;

	while (c->at != c->end && !wrong) {
		if (!decode_field_read(c, atom_fields, f, &number))
			return c->wrong;
		if (number == CPS_ATOM_RESOURCE)
			wrong = atom_add(r, a, f->resource, &first);
	}
	if (wrong)
		return wrong;
	if (f->id >> r->atom_bits)
		return "its number is too large";
	if (!first)
		return "no resource counts it";
	if (!f->grain || f->grain > UINT32_MAX)
		return "its grain is out of range";
	a->grain = f->grain;
	a->is_time = f->flags & CPS_ATOM_IS_TIME;
	a->is_in_kernel = f->flags & CPS_ATOM_IN_KERNEL;
	a->is_known = true;
	return NULL;
}

/* Samples before it would have been something else. */
static bool atom_is_changed(const struct decode_atom *old, const struct decode_atom *new)
{
	if (!old->is_known)
		return old->hits || old->weight;
	return old->is_time != new->is_time || old->is_in_kernel != new->is_in_kernel ||
	       old->grain != new->grain || !is_same(old->state, new->state) ||
	       memcmp(old->resources, new->resources, sizeof(old->resources)) != 0;
}

int decode_resources_atom(struct decode_stream *s, struct cursor *c)
{
	struct decode_resources *r = s->resources;
	struct atom_fields f = {.grain = 1};
	struct decode_atom new = {0}, *old;
	bool ok = true;
	const char *wrong = atom_read(r, c, &f, &new);

	if (wrong)
		return resources_wrong(s, wrong);
	old = &r->atoms[f.id];
	new.state = text_copy(f.state, &ok);
	if (!ok || old->is_known || atom_is_changed(old, &new)) {
		bool is_changed = ok && atom_is_changed(old, &new);

		free(new.state);
		return is_changed ? resources_wrong(s, "it was something else before")
		       : ok	  ? 0
				  : error_memory(s->err);
	}
	*old = new;
	atom_take(r, old);
	return state_push(s, (unsigned)f.id);
}

/* ---- samples --------------------------------------------------------------------------------- */

int decode_resources_sample(struct decode_stream *s, struct event_sample *e, unsigned atom)
{
	struct decode_resources *r = s->resources;
	struct decode_atom *a = &r->atoms[atom];

	if (__builtin_add_overflow(a->weight, e->weight, &a->weight))
		return resources_wrong(s, "overflow: the sum of weights does not fit 64 bits");
	a->hits += e->hits;
	if (e->block && live_heap_block(&r->blocks, e, atom))
		return error_memory(s->err);
	a->has_blocks |= e->block != 0;
	if (!e->is_again) {
		if (e->keep > r->keep)
			e->keep = r->keep;
		r->keep = a->is_taken ? e->depth : e->keep;
	}
	if (!a->is_taken || !s->sink->sample)
		return 0;
	e->state = a->state ? atom + 1 : 0;
	e->is_in_kernel = a->is_in_kernel;
	return s->sink->sample(s->sink->context, e, s->err);
}
