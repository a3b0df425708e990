/* SPDX-License-Identifier: MIT */
/*
 * parquet.h - writes Parquet files (github.com/apache/parquet-format).
 *
 * In: columns, then row by row a value for each. Out: a file.
 *
 * Texts are stored once for each group of rows; pages are compressed by gzip. Memory is that of one
 * group.
 */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "write/out.h"

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

/* Whether there is a column of that name, whose ASCII letters may be of the other case. */
bool parquet_has_column(const struct parquet *p, const char *name);

/* The value of the next column of the row. Each row has one for each column, in order. */
void parquet_number(struct parquet *p, uint64_t value); /* also PARQUET_SMALL and PARQUET_BOOL */
void parquet_double(struct parquet *p, double value);
void parquet_text(struct parquet *p, const char *bytes, size_t n);
void parquet_none(struct parquet *p);

/* Write what is left. -1: out of memory since the beginning, or a group of rows is too large for the format. */
int parquet_end(struct parquet *p, struct error *err);
void parquet_free(struct parquet *p);

#endif
