/* SPDX-License-Identifier: MIT */
/*
 * firefox.h - makes stacks of nodes, and writes the tables that all threads share.
 */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "export/places.h"
#include "export/tracks.h"
#include "write/out.h"

/* ---- json table ------------------------------------------------------------------------------ */
/*
 * JSON of tables that are written column by column.
 *
 * In: columns, value by value. Out: an object with an array for each column.
 */

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
/* Nanoseconds as milliseconds, to the last digit. */
void json_table_ms(struct json_table *t, uint64_t ns);
/* A whole column that has the same value of JSON n times. */
void json_table_same(struct json_table *t, const char *name, const char *json, size_t n);

/* A key that is no column, with a text as its value. Only json_table_end may follow. */
void json_table_key(struct json_table *t, const char *key, const char *text);

/* Nanoseconds as milliseconds, outside a table. */
void json_table_ms_alone(struct out *o, uint64_t ns);

/* ---- firefox --------------------------------------------------------------------------------- */
/*
 * What all threads of a profile for the Firefox Profiler share: strings, functions, frames, stacks.
 *
 * In: a profile, its places, the states of its samples. Out: numbers of stacks, and JSON.
 *
 * The category of a sample is that of its innermost frame. So a stack in which samples of several
 * states were taken is there for each of them, and its innermost frame, too.
 */

struct firefox_frame {
	uint32_t place, depth; /* index in places.all, and in the chain of inlined functions */
	uint32_t category;
};

struct firefox_stack {
	uint32_t frame,
		offset; /* offset: how much less the number of the calling stack is; 0: none calls it */
};

struct firefox_tables {
	const struct profile *profile;
	const struct places *places;
	struct strings *strings; /* of the file */
	uint32_t *of_node;	 /* the stack of each node; UINT32_MAX: none */
	struct firefox_frame *frames;
	struct firefox_stack *stacks;
	uint32_t *states;	 /* by category - 1, in the profile's strings */
	struct pair_table pairs; /* (node, category) -> number of the stack, from `first` on */
	size_t n_frames, n_stacks, n_states, first;
	size_t frames_size, stacks_size, states_size;
	bool is_out_of_memory; /* a text has no number, and what is written is of no use */
};

/* Fills *t; firefox_tables_free frees it, also after an error. -1: memory. */
int firefox_tables_make(struct firefox_tables *t, const struct profile *p,
			const struct places *places, const struct tracks *tracks,
			struct error *err);
void firefox_tables_free(struct firefox_tables *t);

/* The stack of a sample; UINT32_MAX: it has none. */
uint32_t firefox_stack(struct firefox_tables *t, const struct track_sample *sample);
/* The number of a text in the file's strings. If memory is out, it is none, and is_out_of_memory becomes true. */
uint32_t firefox_text(struct firefox_tables *t, const char *bytes, size_t n);

/* The values of the keys meta.categories, libs and shared. The latter has all strings, so that it is the last to be
 * written. */
void firefox_write_categories(const struct firefox_tables *t, struct out *o);
void firefox_write_libs(const struct firefox_tables *t, struct out *o);
void firefox_write_shared(struct firefox_tables *t, struct out *o);

#endif
