/* SPDX-License-Identifier: MIT */
/*
 * decode_pprof.c - decodes profiles of pprof, as Go's runtime, gperftools' pprof and cpconv write them.
 *
 * In: a message Profile of profile.proto (github.com/google/pprof), mostly compressed by gzip. Out: a sample
 * event per sample with the values of one type: the one that pprof would show, or another one if the sink
 * declines that.
 *
 * Texts come last in the file, so that all of it is in memory. Ids are any numbers. Values below 0, which a
 * difference of two profiles has, are an error.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/pprof.h"
#include "import/whole_input.h"
#include "read/decode.h"

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
