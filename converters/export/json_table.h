/* SPDX-License-Identifier: MIT */
/*
 * json_table.h - JSON of tables that are written column by column.
 *
 * In: columns, value by value. Out: an object with an array for each column.
 */
#ifndef JSON_TABLE_H
#define JSON_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "write/out.h"

struct json_table {
	struct out *out;
	bool has_column, has_value; /* one was written already */
};

/* Begin the object as the value of a key; `length` is the number of rows. */
void json_table_begin(struct json_table *t, struct out *o, const char *key, size_t length);
void json_table_end(struct json_table *t);

/* Begin a column. Its values follow. */
void json_table_column(struct json_table *t, const char *name);
void json_table_number(struct json_table *t, uint64_t value);
/* The number, or null if it is UINT32_MAX. */
void json_table_index(struct json_table *t, uint32_t value);
/* Any value of JSON. */
void json_table_text(struct json_table *t, const char *json);
/* Nanoseconds as milliseconds, to the last digit. */
void json_table_ms(struct json_table *t, uint64_t ns);
/* A whole column that has the same value of JSON n times. */
void json_table_same(struct json_table *t, const char *name, const char *json, size_t n);

/* A key that is no column, with a text as its value. Only json_table_end may follow. */
void json_table_key(struct json_table *t, const char *key, const char *text);

/* Nanoseconds as milliseconds, outside a table. */
void json_table_ms_alone(struct out *o, uint64_t ns);

#endif
