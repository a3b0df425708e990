/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - takes mappings, locations, functions, texts and types out of a file of pprof.
 *
 * In: a message Profile of profile.proto. Out: struct pprof.
 */
#include "import/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int pprof_wrong(const struct pprof *p, const unsigned char *at, const char *what)
{
	return error_set(p->err, "%s: %s at byte %zu of the unpacked file", p->name, what,
			 (size_t)(at - p->begin));
}

/* ---- what the file has ------------------------------------------------------------------------ */

struct event_text pprof_text(const struct pprof *p, uint64_t number)
{
	const struct protobuf_reader *t = number < p->n_texts ? &p->texts[number] : NULL;

	return t ? (struct event_text){(const char *)t->at, (size_t)(t->end - t->at)}
		 : (struct event_text){"", 0};
}

bool pprof_is_text(const struct pprof *p, uint64_t number, const char *want)
{
	struct event_text t = pprof_text(p, number);

	return t.length == strlen(want) && !memcmp(t.bytes, want, t.length);
}

uint64_t pprof_value_of(struct protobuf_reader r, uint32_t number)
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

const struct pprof_item *pprof_find(const struct pprof_items *l, uint64_t id)
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

int pprof_take_all(struct pprof *p, struct protobuf_reader r)
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
