/* SPDX-License-Identifier: MIT */
/*
 * parquet.h - writes Parquet files.
 */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "write/out.h"

/* ---- thrift ---------------------------------------------------------------------------------- */
/*
 * Writes Thrift's compact protocol, of which the headers of Parquet are made.
 *
 * In: fields of structs. Out: bytes. The protocol is described in
 * github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
 */

#define THRIFT_DEEPEST 8

/* All zero at first. */
struct thrift {
	unsigned char *bytes;
	size_t n, size;
	bool is_out_of_memory;	  /* from then on nothing is written */
	unsigned depth;		  /* of structs */
	int last[THRIFT_DEEPEST]; /* the number of the last field of each */
};

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_TEXT = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/* Fields of the innermost struct, in ascending order of their numbers. */
void thrift_i32(struct thrift *t, int field, int32_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_text(struct thrift *t, int field, const char *text);
/* A list of n, which have to follow: structs, or by the two functions below. */
void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n);
void thrift_element_i32(struct thrift *t, int32_t value);
void thrift_element_text(struct thrift *t, const char *text);

/* A struct begins: as a field, or as an element of a list or alone (field 0). Each has to end. */
void thrift_begin(struct thrift *t, int field);
void thrift_end(struct thrift *t);

void thrift_free(struct thrift *t);

/* ---- parquet --------------------------------------------------------------------------------- */
/*
 * Writes a table as a Parquet file (github.com/apache/parquet-format).
 *
 * In: columns, then row by row a value for each. Out: a file.
 *
 * Texts are stored once for each group of rows; pages are compressed by gzip. Memory is that of one
 * group.
 */

enum parquet_type {
	PARQUET_NUMBER, /* uint64_t */
	PARQUET_SMALL,	/* uint32_t */
	PARQUET_DOUBLE,
	PARQUET_BOOL,
	PARQUET_TEXT, /* UTF-8 */
};

struct parquet;

/* Begin a file. NULL: out of memory. */
struct parquet *parquet_new(struct out *o);
/* Add a column, before the first row. The name is copied. If `has_none` is set, rows may have no value there. -1: memory. */
int parquet_column(struct parquet *p, const char *name, enum parquet_type type, bool has_none);

/* The value of the next column of the row. Each row has one for each column, in order. */
void parquet_number(struct parquet *p, uint64_t value); /* also PARQUET_SMALL and PARQUET_BOOL */
void parquet_double(struct parquet *p, double value);
void parquet_text(struct parquet *p, const char *bytes, size_t n);
void parquet_none(struct parquet *p);

/* Write what is left. -1: out of memory since the beginning, or a group of rows is too large for the format. */
int parquet_end(struct parquet *p, struct error *err);
void parquet_free(struct parquet *p);

/* ---- parquet page ---------------------------------------------------------------------------- */
/*
 * The values of a column of a Parquet file, and their pages. For parquet.c.
 */

/* The values of the current group of rows. All but the first three are zero at first. */
struct parquet_values {
	char *name;
	enum parquet_type type;
	bool has_none;
	uint64_t *values; /* n; of texts: numbers of the dictionary; of doubles: their bits */
	bool *is_none;	  /* n, if has_none */
	size_t n, size, none_size;
	size_t n_none;
	struct strings *texts; /* the dictionary; NULL: none yet */
};

int parquet_values_add(struct parquet_values *c, uint64_t value);
int parquet_values_add_text(struct parquet_values *c, const char *bytes, size_t n);
int parquet_values_add_none(struct parquet_values *c);
void parquet_values_free(struct parquet_values *c);

struct parquet_writer {
	struct out *out;
	uint64_t bytes; /* written so far */
	bool is_out_of_memory, is_too_large;
	unsigned char *page, *packed;
	size_t n, page_size, packed_size;
	struct libdeflate_compressor *compressor;
};

void parquet_write(struct parquet_writer *w, const void *bytes, size_t n);
void parquet_writer_free(struct parquet_writer *w);

/* Where the values of a column are, for one group of rows. */
struct parquet_chunk {
	int64_t values;		  /* how many, with those that are none */
	int64_t dictionary, data; /* offsets of pages; dictionary 0: there is none */
	int64_t plain_bytes, packed_bytes;
};

/* Write the pages of the column, and forget its values. */
void parquet_write_chunk(struct parquet_writer *w, struct parquet_values *c,
			 struct parquet_chunk *chunk);

/* Describe the column, and a chunk of it, in the footer. */
void parquet_put_element(struct thrift *t, const struct parquet_values *c);
void parquet_put_chunk(struct thrift *t, const struct parquet_values *c,
		       const struct parquet_chunk *chunk);

#endif
