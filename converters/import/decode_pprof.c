/* SPDX-License-Identifier: MIT */
/*
 * decode_pprof.c - decodes profiles of pprof, as Go's runtime, gperftools' pprof and cpconv write
 * them.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pprof_fields.h"
#include "import/stack.h"
#include "read/decode.h"

/* What is left of a message. */
struct protobuf_reader {
	const unsigned char *at, *end;
	bool is_wrong; /* the message is damaged; `at` is where */
};

/* A part of the file that has an id: a mapping, a location or a function. */
struct pprof_item {
	uint64_t id;
	uint64_t values[PPROF_MAPPING_FILENAME + 1]; /* of its first fields, by number */
	struct protobuf_reader bytes;
	size_t line, n_lines; /* of a location: its functions in pprof.lines */
};

struct pprof_items {
	struct pprof_item *list; /* by id, once all are there */
	size_t n, size;
};

struct pprof_type {
	uint64_t type, unit; /* numbers of texts */
};

struct pprof {
	const struct event_sink *sink;
	struct error *err;
	const char *name;
	const unsigned char *begin;
	struct pprof_items mappings, locations, functions;
	struct event_text *lines; /* names of functions, by location, innermost first */
	size_t n_lines, lines_size;
	struct protobuf_reader *texts;
	size_t n_texts, texts_size;
	struct pprof_type *types;
	size_t n_types, types_size, type; /* the one that is read */
	size_t counts;			  /* the type that counts samples; n_types: none */
	uint64_t scale;			  /* nanoseconds in its unit */
	uint64_t shown, period, time_ns, hits;
	struct pprof_type period_type;
	struct stack stack;
	uint64_t *numbers; /* of the sample at hand: locations, then values */
	size_t n_locations, n_numbers, numbers_size;
	uint32_t n_threads, *threads; /* by text: the number of the thread of that name; 0: none */
};

/* ---- protobuf reader ------------------------------------------------------------------------- */
/*
 * Reads the wire format of Protocol Buffers (protobuf.dev, "Encoding").
 *
 * In: bytes. Out: fields.
 */

struct protobuf_field {
	uint32_t number;
	bool has_bytes;		      /* it has bytes, and not a value */
	uint64_t value;		      /* of a number */
	struct protobuf_reader bytes; /* of a message, a text or packed numbers */
};

enum wire { WIRE_NUMBER, WIRE_8_BYTES, WIRE_BYTES, WIRE_4_BYTES = 5 };

/* Take a number of packed ones. False as above. */
static bool protobuf_reader_number(struct protobuf_reader *r, uint64_t *value)
{
	*value = 0;
	if (r->at == r->end)
		return false;
	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char byte = *r->at++;

		if (shift > 63 || (shift == 63 && byte > 1))
			break;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	r->is_wrong = true;
	return false;
}

static bool skip(struct protobuf_reader *r, uint64_t n)
{
	r->is_wrong = n > (uint64_t)(r->end - r->at);
	r->at += r->is_wrong ? 0 : n;
	return !r->is_wrong;
}

/* Take the next field. False: there is none, or is_wrong. */
static bool protobuf_reader_next(struct protobuf_reader *r, struct protobuf_field *f)
{
	uint64_t tag, length;

	if (r->at == r->end || r->is_wrong)
		return false;
	*f = (struct protobuf_field){0};
	r->is_wrong = !protobuf_reader_number(r, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX;
	if (r->is_wrong)
		return false;
	f->number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case WIRE_NUMBER:
		r->is_wrong = !protobuf_reader_number(r, &f->value);
		return !r->is_wrong;
	case WIRE_8_BYTES:
	case WIRE_4_BYTES:
		return skip(r, (tag & 7) == WIRE_8_BYTES ? 8 : 4);
	case WIRE_BYTES:
		f->has_bytes = true;
		r->is_wrong = !protobuf_reader_number(r, &length);
		if (r->is_wrong)
			return false;
		f->bytes = (struct protobuf_reader){.at = r->at, .end = r->at};
		if (!skip(r, length))
			return false;
		f->bytes.end = r->at;
		return true;
	default:
		r->is_wrong = true;
		return false;
	}
}

/* ---- pprof ----------------------------------------------------------------------------------- */
/*
 * Takes mappings, locations, functions, texts and types out of a file of pprof.
 *
 * In: a message Profile of profile.proto. Out: struct pprof.
 */

/* Set the error "FILE: WHAT at byte N of the unpacked file". Returns -1. */
static int pprof_wrong(const struct pprof *p, const unsigned char *at, const char *what)
{
	return error_set(p->err, "%s: %s at byte %zu of the unpacked file", p->name, what,
			 (size_t)(at - p->begin));
}

/* ---- what the file has ------------------------------------------------------------------------ */

/* The text of this number; empty if there is none. */
static struct event_text pprof_text(const struct pprof *p, uint64_t number)
{
	const struct protobuf_reader *t = number < p->n_texts ? &p->texts[number] : NULL;

	return t ? (struct event_text){(const char *)t->at, (size_t)(t->end - t->at)}
		 : (struct event_text){"", 0};
}

static bool pprof_is_text(const struct pprof *p, uint64_t number, const char *want)
{
	struct event_text t = pprof_text(p, number);

	return t.length == strlen(want) && !memcmp(t.bytes, want, t.length);
}

/* The value of a field of a message; the last one counts. */
static uint64_t pprof_value_of(struct protobuf_reader r, uint32_t number)
{
	struct protobuf_field f;
	uint64_t value = 0;

	while (protobuf_reader_next(&r, &f))
		if (f.number == number && !f.has_bytes)
			value = f.value;
	return value;
}

static int add_item(struct pprof *p, struct pprof_items *to, struct protobuf_reader bytes)
{
	if (!array_reserve(&to->list, &to->size, to->n + 1, sizeof(*to->list)))
		return error_memory(p->err);
	struct pprof_item *item = &to->list[to->n++];
	struct protobuf_reader r = bytes;
	struct protobuf_field f;

	*item = (struct pprof_item){.bytes = bytes};
	while (protobuf_reader_next(&r, &f))
		if (f.number <= PPROF_MAPPING_FILENAME && !f.has_bytes)
			item->values[f.number] = f.value;
	item->id = item->values[1];
	return 0;
}

static struct pprof_type take_type(struct protobuf_reader bytes)
{
	return (struct pprof_type){pprof_value_of(bytes, PPROF_TYPE_TYPE),
				   pprof_value_of(bytes, PPROF_TYPE_UNIT)};
}

static int take_field(struct pprof *p, const struct protobuf_field *f)
{
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
		if (!array_reserve(&p->types, &p->types_size, p->n_types + 1, sizeof(*p->types)))
			return error_memory(p->err);
		p->types[p->n_types++] = take_type(f->bytes);
		return 0;
	case PPROF_MAPPING:
		return add_item(p, &p->mappings, f->bytes);
	case PPROF_LOCATION:
		return add_item(p, &p->locations, f->bytes);
	case PPROF_FUNCTION:
		return add_item(p, &p->functions, f->bytes);
	case PPROF_STRING:
		if (!array_reserve(&p->texts, &p->texts_size, p->n_texts + 1, sizeof(*p->texts)))
			return error_memory(p->err);
		p->texts[p->n_texts++] = f->bytes;
		return 0;
	case PPROF_PERIOD_TYPE:
		p->period_type = take_type(f->bytes);
		return 0;
	case PPROF_PERIOD:
		p->period = f->value;
		return 0;
	case PPROF_TIME:
		p->time_ns = f->value;
		return 0;
	case PPROF_DEFAULT_SAMPLE_TYPE:
		p->shown = f->value;
		return 0;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct pprof_item *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Which of two with the same id a sample means is not known. 0 is no id. */
static int sort(struct pprof *p, struct pprof_items *l)
{
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare);
	for (size_t i = 1; i < l->n; i++)
		if (l->list[i].id && l->list[i].id == l->list[i - 1].id)
			return pprof_wrong(p, l->list[i].bytes.at, "an id that was given before");
	return 0;
}

static const struct pprof_item *pprof_find(const struct pprof_items *l, uint64_t id)
{
	struct pprof_item wanted = {.id = id};

	return l->n && id ? bsearch(&wanted, l->list, l->n, sizeof(wanted), compare) : NULL;
}

/* ---- the functions of a location --------------------------------------------------------------- */

static struct event_text function_name(const struct pprof *p, uint64_t id)
{
	const struct pprof_item *function = pprof_find(&p->functions, id);
	struct event_text name = {"", 0};

	if (function) {
		name = pprof_text(p, function->values[PPROF_FUNCTION_NAME]);
		if (!name.length)
			name = pprof_text(p, function->values[PPROF_FUNCTION_SYSTEM_NAME]);
	}
	return name.length ? name : event_text_of("[unknown]");
}

/* This is done once for each location, because any number of samples may have it, and it may be long. */
static int take_lines(struct pprof *p, struct pprof_item *location)
{
	struct protobuf_reader r = location->bytes;
	struct protobuf_field f;

	location->line = p->n_lines;
	while (protobuf_reader_next(&r, &f)) {
		if (f.number != PPROF_LOCATION_LINE || !f.has_bytes)
			continue;
		if (!array_reserve(&p->lines, &p->lines_size, p->n_lines + 1, sizeof(*p->lines)))
			return error_memory(p->err);
		p->lines[p->n_lines++] =
			function_name(p, pprof_value_of(f.bytes, PPROF_LINE_FUNCTION));
	}
	location->n_lines = p->n_lines - location->line;
	return 0;
}

/* Take all but the samples. -1: the file is damaged, or memory is out. */
static int pprof_take_all(struct pprof *p, struct protobuf_reader r)
{
	struct protobuf_field f;

	while (protobuf_reader_next(&r, &f)) {
		bool is_number = f.number >= PPROF_TIME && f.number != PPROF_PERIOD_TYPE;

		if (f.number <= PPROF_DEFAULT_SAMPLE_TYPE && f.number != 7 && f.number != 8 &&
		    f.number != 13 && is_number == f.has_bytes)
			return pprof_wrong(p, r.at, "a field of another kind than it should be");
		if (take_field(p, &f))
			return -1;
	}
	if (r.is_wrong)
		return pprof_wrong(p, r.at, "a damaged field");
	if (!p->n_types)
		return error_set(p->err, "%s: a profile of pprof without types of values", p->name);
	if (sort(p, &p->mappings) || sort(p, &p->locations) || sort(p, &p->functions))
		return -1;
	for (size_t i = 0; i < p->locations.n; i++)
		if (take_lines(p, &p->locations.list[i]))
			return -1;
	p->threads = calloc(p->n_texts + 1, sizeof(*p->threads));
	return p->threads ? 0 : error_memory(p->err);
}

/* ---- decode pprof ---------------------------------------------------------------------------- */
/*
 * Decodes profiles of pprof, as Go's runtime, gperftools' pprof and cpconv write them.
 *
 * In: a message Profile of profile.proto (github.com/google/pprof), mostly compressed by gzip. Out:
 * a sample event per sample with the values of one type: the one that pprof would show, or another
 * one if the sink declines that.
 *
 * Texts come last in the file, so that all of it is in memory. Ids are any numbers. Values below 0,
 * which a difference of two profiles has, are an error.
 */

#define LINES_MOST 250	      /* functions at one address */
#define DEPTH_MOST (1u << 20) /* frames of a stack */

/* ---- names ------------------------------------------------------------------------------------ */

/* "[lua5.4+0x1f30]", by offset in the file. */
static int add_address(struct pprof *p, const struct pprof_item *location)
{
	uint64_t address = location->values[PPROF_LOCATION_ADDRESS];
	const struct pprof_item *mapping =
		pprof_find(&p->mappings, location->values[PPROF_LOCATION_MAPPING]);
	struct event_text file = {"", 0};
	const char *slash;
	char name[160];

	if (mapping) {
		file = pprof_text(p, mapping->values[PPROF_MAPPING_FILENAME]);
		address += mapping->values[PPROF_MAPPING_OFFSET] -
			   mapping->values[PPROF_MAPPING_START];
	}
	if (file.length >
	    PATH_MAX) { /* no path is, and there may be as many samples as it has bytes */
		file.bytes += file.length - PATH_MAX;
		file.length = PATH_MAX;
	}
	slash = memrchr(file.bytes, '/', file.length);
	if (slash) {
		file.length -= (size_t)(slash + 1 - file.bytes);
		file.bytes = slash + 1;
	}
	snprintf(name, sizeof(name), "[%.*s%s0x%llx]", (int)(file.length < 100 ? file.length : 100),
		 file.bytes, file.length ? "+" : "", (unsigned long long)address);
	return stack_add_copy(&p->stack, name, strlen(name), p->err);
}

/* The lines of a location are the functions there, innermost first. */
static int add_location(struct pprof *p, struct protobuf_reader sample, uint64_t id)
{
	const struct pprof_item *location = pprof_find(&p->locations, id);

	if (!location)
		return error_set(p->err,
				 "%s: a sample has location %llu, which is not there, at byte %zu "
				 "of the unpacked file",
				 p->name, (unsigned long long)id, (size_t)(sample.at - p->begin));
	if (location->n_lines > LINES_MOST || p->stack.n + location->n_lines > DEPTH_MOST)
		return pprof_wrong(p, location->bytes.at, "too many functions of one stack");
	for (size_t i = 0; i < location->n_lines; i++)
		if (stack_add(&p->stack, p->lines[location->line + i], p->err))
			return -1;
	return location->n_lines ? 0 : add_address(p, location);
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* The number of the thread that a label names, which is pushed when it is seen first. Of a sample's labels the first one
 * counts. */
static int take_label(struct pprof *p, struct protobuf_reader label, uint32_t *thread)
{
	uint64_t key = pprof_value_of(label, PPROF_LABEL_KEY),
		 name = pprof_value_of(label, PPROF_LABEL_STR);
	struct event_thread e = {.name = pprof_text(p, name)};

	if (*thread || !e.name.length ||
	    (!pprof_is_text(p, key, "thread") && !pprof_is_text(p, key, "group")))
		return 0;
	*thread = p->threads[name];
	if (*thread)
		return 0;
	*thread = e.id = p->threads[name] = ++p->n_threads;
	return p->sink->thread ? p->sink->thread(p->sink->context, &e, p->err) : 0;
}

/* Numbers are packed, or a field each. */
static int take_numbers(struct pprof *p, const struct protobuf_field *f)
{
	struct protobuf_reader r = f->bytes;
	uint64_t number = f->value;
	bool more = !f->has_bytes || protobuf_reader_number(&r, &number);

	while (more) {
		if (!array_reserve(&p->numbers, &p->numbers_size, p->n_numbers + 1,
				   sizeof(*p->numbers)))
			return error_memory(p->err);
		p->numbers[p->n_numbers++] = number;
		more = f->has_bytes && protobuf_reader_number(&r, &number);
	}
	return f->has_bytes && r.is_wrong ? pprof_wrong(p, r.at, "a damaged number") : 0;
}

/* Take the fields of one number. */
static int take_numbered(struct pprof *p, struct protobuf_reader r, uint32_t number)
{
	struct protobuf_field f;

	while (protobuf_reader_next(&r, &f))
		if (f.number == number && take_numbers(p, &f))
			return -1;
	return r.is_wrong ? pprof_wrong(p, r.at, "a damaged sample") : 0;
}

static int check_values(struct pprof *p, struct protobuf_reader at, struct event_sample *e)
{
	const uint64_t *values;

	if (p->n_numbers - p->n_locations != p->n_types)
		return pprof_wrong(p, at.at, "a sample with other values than there are types");
	values = p->numbers + p->n_locations;
	e->hits = p->counts < p->n_types ? values[p->counts] : 1;
	if (values[p->type] > INT64_MAX || e->hits > INT64_MAX)
		return pprof_wrong(p, at.at, "a value below 0, as a difference of profiles has");
	if (__builtin_mul_overflow(values[p->type], p->scale, &e->weight) ||
	    __builtin_add_overflow(p->hits, e->hits, &p->hits))
		return pprof_wrong(p, at.at, "overflow: the values do not fit 64 bits");
	return 0;
}

static int push_sample(struct pprof *p, struct protobuf_reader r)
{
	struct event_sample e = {0};
	struct protobuf_reader labels = r;
	struct protobuf_field f;

	p->n_numbers = 0;
	stack_empty(&p->stack);
	if (take_numbered(p, r, PPROF_SAMPLE_LOCATION))
		return -1;
	p->n_locations = p->n_numbers;
	if (take_numbered(p, r, PPROF_SAMPLE_VALUE) || check_values(p, r, &e))
		return -1;
	if (!e.weight && !e.hits)
		return 0;
	for (size_t i = 0; i < p->n_locations; i++)
		if (add_location(p, r, p->numbers[i]))
			return -1;
	while (protobuf_reader_next(&labels, &f))
		if (f.number == PPROF_SAMPLE_LABEL && f.has_bytes &&
		    take_label(p, f.bytes, &e.thread))
			return -1;
	stack_turn(&p->stack);
	return stack_push(&p->stack, &e, p->sink, p->err);
}

static int push_samples(struct pprof *p, struct protobuf_reader r)
{
	struct protobuf_field f;

	while (protobuf_reader_next(&r, &f))
		if (f.number == PPROF_SAMPLE && push_sample(p, f.bytes))
			return -1;
	return 0;
}

/* ---- which type ------------------------------------------------------------------------------- */

static uint64_t nanoseconds(const struct pprof *p, uint64_t unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"nanoseconds", 1},
		     {"microseconds", 1000},
		     {"milliseconds", 1000000},
		     {"seconds", 1000000000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (pprof_is_text(p, unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* Offer the type to the sink. */
static int offer(struct pprof *p, size_t type)
{
	const struct pprof_type *t = &p->types[type];
	uint64_t ns = nanoseconds(p, t->unit), interval = 0;
	bool is_period = p->period_type.type == t->type && p->period_type.unit == t->unit;
	struct event_process e = {
		.kind = &decode_pprof.kind,
		.file = p->name,
		.start_ns = p->time_ns,
		.resource = pprof_text(p, t->type),
		.unit = ns ? event_text_of("ns") : pprof_text(p, t->unit),
		.scale = 1,
	};

	if (is_period && !__builtin_mul_overflow(p->period, ns ? ns : 1, &interval))
		e.interval = interval;
	p->type = type;
	p->scale = ns ? ns : 1;
	return event_push_process(&p->sink, &e, p->err);
}

/* What pprof would show: the one that the file names, or the last one. */
static int choose(struct pprof *p)
{
	size_t first = p->n_types - 1, i;
	int status;

	p->counts = p->n_types;
	for (i = p->n_types; i-- > 0;) {
		if (p->shown && p->types[i].type == p->shown)
			first = i;
		if (pprof_is_text(p, p->types[i].unit, "count") &&
		    pprof_is_text(p, p->types[i].type, "samples"))
			p->counts = i;
	}
	status = offer(p, first);
	for (i = p->n_types; status == EVENT_DECLINED && i-- > 0;)
		if (i != first)
			status = offer(p, i);
	return status;
}

/* ---- the input -------------------------------------------------------------------------------- */

static int decode(struct pprof *p, const struct whole_input *w)
{
	const struct protobuf_reader all = {.at = w->bytes, .end = w->bytes + w->n};
	struct event_end e = {.bytes = w->n};
	int status;

	p->begin = w->bytes;
	if (pprof_take_all(p, all))
		return -1;
	status = choose(p);
	if (!status)
		status = push_samples(p, all);
	e.ticks = p->hits;
	if (!status && p->sink->end)
		status = p->sink->end(p->sink->context, &e, p->err);
	return status < 0 ? -1 : 0;
}

static int run(struct input *in, const char *path, const struct event_sink *sink, struct error *err)
{
	struct pprof p = {.sink = sink, .err = err, .name = input_name(in)};
	struct whole_input w;
	int status = whole_input_read(&w, in, err);

	(void)path;
	if (!status)
		status = whole_input_unpack(&w, p.name, err);
	if (!status)
		status = decode(&p, &w);
	free(p.mappings.list);
	free(p.locations.list);
	free(p.functions.list);
	free(p.lines);
	free(p.texts);
	free(p.types);
	free(p.numbers);
	free(p.threads);
	stack_free(&p.stack);
	whole_input_free(&w);
	return status;
}

/* Go's runtime begins with the time, others with a type. No text has such bytes. */
static int detect(const unsigned char *head, size_t n)
{
	unsigned char unpacked[64];
	size_t i, bytes = whole_input_peek(head, n, unpacked, sizeof(unpacked));

	if (!bytes)
		return n > 3 && head[0] == (PPROF_SAMPLE_TYPE << 3 | 2) && head[1] < 24 &&
		       head[2] == 8;
	if (unpacked[0] >> 3 < 1 || unpacked[0] >> 3 > PPROF_DEFAULT_SAMPLE_TYPE ||
	    (unpacked[0] & 5))
		return 0;
	for (i = 0; i < bytes && unpacked[i] >= '\t';)
		i++;
	return i < bytes;
}

const struct decoder decode_pprof = {
	.kind = {.name = "profiles of pprof",
		 .has_names = true,
		 .has_threads = true,
		 .has_pid = true},
	.detect = detect,
	.run = run,
};
