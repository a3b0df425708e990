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

/* A part of the file that has an id: a mapping, a location or a function. There may be one for every four bytes of the
 * file, so that this and what is kept of each are small. */
struct pprof_item {
	uint64_t id;	      /* not 0 */
	uint32_t at, n_bytes; /* where it is in the file */
};

struct pprof_items {
	struct pprof_item *list; /* by id, once all are there */
	size_t n;
};

struct pprof_file {
	uint64_t shift; /* plus an address, it is the offset in the file */
	uint32_t file;	/* number of a text */
};

struct pprof_place {
	uint64_t address;
	uint32_t mapping;	/* NONE: none is known */
	uint32_t line, n_lines; /* its functions in pprof.lines */
};

#define NONE	   UINT32_MAX
#define TYPES_MOST 1000u

struct pprof_type {
	uint64_t type, unit; /* numbers of texts */
};

struct pprof {
	const struct event_sink *sink;
	struct error *err;
	const char *name;
	const unsigned char *begin, *end;
	struct pprof_items mappings, locations, functions;
	struct pprof_file *mapping;   /* by their place in the list above, as the next two */
	struct pprof_place *location; /* likewise */
	uint32_t *function;	      /* the number of its name; NONE: it has none */
	uint32_t *lines;	      /* such numbers, by location, innermost first */
	size_t n_lines, lines_size;
	uint32_t *texts; /* where they are in the file: their lengths, then their bytes */
	size_t n_texts;
	struct pprof_type *types;
	size_t n_types, type; /* the one that is read */
	size_t counts;	      /* the type that counts samples; n_types: none */
	uint64_t scale;	      /* nanoseconds in its unit */
	uint64_t shown, period, time_ns, hits;
	struct pprof_type period_type;
	struct stack stack;
	uint64_t *numbers; /* of the sample at hand: locations, then values */
	size_t n_locations, n_numbers, numbers_size;
	uint64_t *before; /* the locations of the sample before */
	size_t n_before, before_size;
	uint64_t n_frames, frames_most; /* that samples have and those before them had not */
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
	const unsigned char *length;  /* where their length is */
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
		f->length = r->at;
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
	struct protobuf_reader r = {.end = p->end};
	uint64_t length;

	if (number >= p->n_texts)
		return (struct event_text){"", 0};
	r.at = p->begin + p->texts[number];
	protobuf_reader_number(&r, &length); /* has been read before */
	return (struct event_text){(const char *)r.at, (size_t)length};
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

/* An item without an id cannot be meant by others. */
static void add_item(const struct pprof *p, struct pprof_items *to, struct protobuf_reader bytes)
{
	uint64_t id = pprof_value_of(bytes, 1);

	if (id)
		to->list[to->n++] = (struct pprof_item){id, (uint32_t)(bytes.at - p->begin),
							(uint32_t)(bytes.end - bytes.at)};
}

static struct pprof_type take_type(struct protobuf_reader bytes)
{
	return (struct pprof_type){pprof_value_of(bytes, PPROF_TYPE_TYPE),
				   pprof_value_of(bytes, PPROF_TYPE_UNIT)};
}

static void take_field(struct pprof *p, const struct protobuf_field *f)
{
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
		p->types[p->n_types++] = take_type(f->bytes);
		break;
	case PPROF_MAPPING:
		add_item(p, &p->mappings, f->bytes);
		break;
	case PPROF_LOCATION:
		add_item(p, &p->locations, f->bytes);
		break;
	case PPROF_FUNCTION:
		add_item(p, &p->functions, f->bytes);
		break;
	case PPROF_STRING:
		p->texts[p->n_texts++] = (uint32_t)(f->length - p->begin);
		break;
	case PPROF_PERIOD_TYPE:
		p->period_type = take_type(f->bytes);
		break;
	case PPROF_PERIOD:
		p->period = f->value;
		break;
	case PPROF_TIME:
		p->time_ns = f->value;
		break;
	case PPROF_DEFAULT_SAMPLE_TYPE:
		p->shown = f->value;
		break;
	default:
		break;
	}
}

static int compare(const void *a, const void *b)
{
	const struct pprof_item *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Which of two with the same id a sample means is not known. */
static int sort(struct pprof *p, struct pprof_items *l)
{
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare);
	for (size_t i = 1; i < l->n; i++)
		if (l->list[i].id == l->list[i - 1].id)
			return pprof_wrong(p, p->begin + l->list[i].at,
					   "an id that was given before");
	return 0;
}

/* The place of the item with this id; NONE: there is none. */
static uint32_t pprof_find(const struct pprof_items *l, uint64_t id)
{
	struct pprof_item wanted = {.id = id}, *found;

	found = l->n ? bsearch(&wanted, l->list, l->n, sizeof(wanted), compare) : NULL;
	return found ? (uint32_t)(found - l->list) : NONE;
}

static struct protobuf_reader bytes_of(const struct pprof *p, const struct pprof_item *item)
{
	const unsigned char *at = p->begin + item->at;

	return (struct protobuf_reader){.at = at, .end = at + item->n_bytes};
}

/* ---- what items say ---------------------------------------------------------------------------- */
/*
 * This is found out once for each item, because any number of others may mean it, and it may be long.
 */

static struct pprof_file take_mapping(struct protobuf_reader r)
{
	uint64_t file = pprof_value_of(r, PPROF_MAPPING_FILENAME);

	return (struct pprof_file){pprof_value_of(r, PPROF_MAPPING_OFFSET) -
					   pprof_value_of(r, PPROF_MAPPING_START),
				   file < NONE ? (uint32_t)file : NONE};
}

/* The number of a function's name; NONE: it has none. */
static uint32_t take_function(const struct pprof *p, struct protobuf_reader r)
{
	uint64_t name = pprof_value_of(r, PPROF_FUNCTION_NAME);

	if (!pprof_text(p, name).length)
		name = pprof_value_of(r, PPROF_FUNCTION_SYSTEM_NAME);
	return pprof_text(p, name).length ? (uint32_t)name : NONE;
}

static int take_location(struct pprof *p, struct protobuf_reader r, struct pprof_place *to)
{
	struct protobuf_field f;

	*to = (struct pprof_place){
		.address = pprof_value_of(r, PPROF_LOCATION_ADDRESS),
		.mapping = pprof_find(&p->mappings, pprof_value_of(r, PPROF_LOCATION_MAPPING)),
		.line = (uint32_t)p->n_lines};
	while (protobuf_reader_next(&r, &f)) {
		if (f.number != PPROF_LOCATION_LINE || !f.has_bytes)
			continue;
		if (!array_reserve(&p->lines, &p->lines_size, p->n_lines + 1, sizeof(*p->lines)))
			return error_memory(p->err);
		uint32_t i =
			pprof_find(&p->functions, pprof_value_of(f.bytes, PPROF_LINE_FUNCTION));
		p->lines[p->n_lines++] = i == NONE ? NONE : p->function[i];
	}
	to->n_lines = (uint32_t)p->n_lines - to->line;
	return 0;
}

static int take_items(struct pprof *p)
{
	size_t i;

	p->mapping = malloc(p->mappings.n * sizeof(*p->mapping) + 1);
	p->function = malloc(p->functions.n * sizeof(*p->function) + 1);
	p->location = malloc(p->locations.n * sizeof(*p->location) + 1);
	if (!p->mapping || !p->function || !p->location)
		return error_memory(p->err);
	for (i = 0; i < p->mappings.n; i++)
		p->mapping[i] = take_mapping(bytes_of(p, &p->mappings.list[i]));
	for (i = 0; i < p->functions.n; i++)
		p->function[i] = take_function(p, bytes_of(p, &p->functions.list[i]));
	for (i = 0; i < p->locations.n; i++)
		if (take_location(p, bytes_of(p, &p->locations.list[i]), &p->location[i]))
			return -1;
	return 0;
}

/* ---- all but the samples ----------------------------------------------------------------------- */

#define FIELDS (PPROF_DEFAULT_SAMPLE_TYPE + 1)

/* Count the fields of each number. -1: the file is damaged. */
static int count_fields(const struct pprof *p, struct protobuf_reader r, size_t count[FIELDS])
{
	struct protobuf_field f;

	while (protobuf_reader_next(&r, &f)) {
		bool is_number = f.number >= PPROF_TIME && f.number != PPROF_PERIOD_TYPE;

		if (f.number >= FIELDS || f.number == 7 || f.number == 8 || f.number == 13)
			continue;
		if (is_number == f.has_bytes)
			return pprof_wrong(p, r.at, "a field of another kind than it should be");
		count[f.number]++;
	}
	return r.is_wrong ? pprof_wrong(p, r.at, "a damaged field") : 0;
}

/* Take all but the samples. -1: the file is damaged, or memory is out. */
static int pprof_take_all(struct pprof *p, struct protobuf_reader r)
{
	size_t count[FIELDS] = {0};
	struct protobuf_field f;

	if (count_fields(p, r, count))
		return -1;
	if (!count[PPROF_SAMPLE_TYPE])
		return error_set(p->err, "%s: a profile of pprof without types of values", p->name);
	if (count[PPROF_SAMPLE_TYPE] > TYPES_MOST)
		return error_set(p->err, "%s: a profile of pprof with more than %u types of values",
				 p->name, TYPES_MOST);
	p->types = malloc(count[PPROF_SAMPLE_TYPE] * sizeof(*p->types));
	p->mappings.list = malloc(count[PPROF_MAPPING] * sizeof(struct pprof_item) + 1);
	p->locations.list = malloc(count[PPROF_LOCATION] * sizeof(struct pprof_item) + 1);
	p->functions.list = malloc(count[PPROF_FUNCTION] * sizeof(struct pprof_item) + 1);
	p->texts = malloc(count[PPROF_STRING] * sizeof(*p->texts) + 1);
	p->threads = calloc(count[PPROF_STRING] + 1, sizeof(*p->threads));
	if (!p->types || !p->mappings.list || !p->locations.list || !p->functions.list ||
	    !p->texts || !p->threads)
		return error_memory(p->err);
	while (protobuf_reader_next(&r, &f))
		take_field(p, &f);
	if (sort(p, &p->mappings) || sort(p, &p->locations) || sort(p, &p->functions))
		return -1;
	return take_items(p);
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
/* Frames of all stacks, as count_frames counts them: no profiler's file has one for each of its bytes. */
#define FRAMES_LEAST  (1u << 20)
#define FRAMES_A_BYTE 32u

/* ---- names ------------------------------------------------------------------------------------ */

/* "[lua5.4+0x1f30]", by offset in the file. */
static int add_address(struct pprof *p, const struct pprof_place *location)
{
	uint64_t address = location->address;
	struct event_text file = {"", 0};
	const char *slash;
	char name[160];

	if (location->mapping != NONE) {
		file = pprof_text(p, p->mapping[location->mapping].file);
		address += p->mapping[location->mapping].shift;
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

static uint64_t frames_at(const struct pprof *p, uint32_t location)
{
	return location != NONE && p->location[location].n_lines ? p->location[location].n_lines
								 : 1;
}

static int add_function(struct pprof *p, uint32_t name)
{
	return stack_add(&p->stack, name == NONE ? event_text_of("[unknown]") : pprof_text(p, name),
			 p->err);
}

/* The lines of a location are the functions there, innermost first. */
static int add_location(struct pprof *p, struct protobuf_reader sample, uint64_t id)
{
	uint32_t found = pprof_find(&p->locations, id);
	const struct pprof_place *location = &p->location[found];

	if (found == NONE)
		return error_set(p->err,
				 "%s: a sample has location %llu, which is not there, at byte %zu "
				 "of the unpacked file",
				 p->name, (unsigned long long)id, (size_t)(sample.at - p->begin));
	if (location->n_lines > LINES_MOST || p->stack.n + location->n_lines > DEPTH_MOST)
		return pprof_wrong(p, p->begin + p->locations.list[found].at,
				   "too many functions of one stack");
	for (uint32_t i = 0; i < location->n_lines; i++)
		if (add_function(p, p->lines[location->line + i]))
			return -1;
	return location->n_lines ? 0 : add_address(p, location);
}

/* A few bytes of a packed file may stand for very many frames. Count those that the sample before has not as its outermost
 * ones, because they are what a reader has to keep. */
static int count_frames(struct pprof *p)
{
	size_t n = p->n_locations, same = 0;

	while (same < n && same < p->n_before &&
	       p->numbers[n - 1 - same] == p->before[p->n_before - 1 - same])
		same++;
	for (size_t i = 0; i < n - same; i++)
		p->n_frames += frames_at(p, pprof_find(&p->locations, p->numbers[i]));
	if (p->n_frames > p->frames_most)
		return error_set(p->err,
				 "%s: its stacks have more frames than a file of its size has "
				 "(%llu)",
				 p->name, (unsigned long long)p->frames_most);
	if (!array_reserve(&p->before, &p->before_size, n, sizeof(*p->before)))
		return error_memory(p->err);
	if (n) /* else there may be no room at all */
		memcpy(p->before, p->numbers, n * sizeof(*p->before));
	p->n_before = n;
	return 0;
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
		if (p->n_numbers == DEPTH_MOST + TYPES_MOST)
			return pprof_wrong(p, r.at, "too many functions of one stack");
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
	if (count_frames(p))
		return -1;
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
	p->end = w->bytes + w->n;
	p->frames_most = FRAMES_LEAST + FRAMES_A_BYTE * (uint64_t)w->n_packed;
	if (w->n > UINT32_MAX)
		return error_set(p->err, "%s: a profile of pprof of more than 4 GB", p->name);
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
	free(p.mapping);
	free(p.location);
	free(p.function);
	free(p.before);
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
