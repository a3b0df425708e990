/* SPDX-License-Identifier: MIT */
/*
 * decode_pprof.h - decodes profiles of pprof, as Go's runtime, gperftools' pprof and cpconv write
 * them.
 */
#ifndef IMPORT_DECODE_PPROF_H
#define IMPORT_DECODE_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pprof_fields.h"
#include "import/stack.h"

/* ---- protobuf reader ------------------------------------------------------------------------- */
/*
 * The fields of a message of Protocol Buffers, one after the other.
 *
 * In: bytes. Out: fields. Nothing is believed of the bytes.
 */

/* What is left of a message. */
struct protobuf_reader {
	const unsigned char *at, *end;
	bool is_wrong; /* the message is damaged; `at` is where */
};

struct protobuf_field {
	uint32_t number;
	bool has_bytes;		      /* it has bytes, and not a value */
	uint64_t value;		      /* of a number */
	struct protobuf_reader bytes; /* of a message, a text or packed numbers */
};

/* Take the next field. False: there is none, or is_wrong. */
bool protobuf_reader_next(struct protobuf_reader *r, struct protobuf_field *f);
/* Take a number of packed ones. False as above. */
bool protobuf_reader_number(struct protobuf_reader *r, uint64_t *value);

/* ---- pprof ----------------------------------------------------------------------------------- */
/*
 * What a file of pprof has beside its samples.
 *
 * In: a message Profile of profile.proto. Out: struct pprof.
 */

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
