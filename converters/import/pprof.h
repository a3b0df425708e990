/* SPDX-License-Identifier: MIT */
/*
 * pprof.h - what a file of pprof has beside its samples.
 *
 * In: a message Profile of profile.proto. Out: struct pprof.
 */
#ifndef PPROF_H
#define PPROF_H

#include "base/pprof_fields.h"
#include "import/protobuf_reader.h"
#include "import/stack.h"

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

/* Set the error "FILE: WHAT at byte N of the unpacked file". Returns -1. */
int pprof_wrong(const struct pprof *p, const unsigned char *at, const char *what);
/* The text of this number; empty if there is none. */
struct event_text pprof_text(const struct pprof *p, uint64_t number);
bool pprof_is_text(const struct pprof *p, uint64_t number, const char *want);
/* The value of a field of a message; the last one counts. */
uint64_t pprof_value_of(struct protobuf_reader r, uint32_t number);
const struct pprof_item *pprof_find(const struct pprof_items *l, uint64_t id);

/* Take all but the samples. -1: the file is damaged, or memory is out. */
int pprof_take_all(struct pprof *p, struct protobuf_reader r);

#endif
