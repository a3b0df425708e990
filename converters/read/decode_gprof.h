/* SPDX-License-Identifier: MIT */
/*
 * decode_gprof.h - decodes the text that gprof prints.
 *
 * In: a line of the call graph. Out: a function, or an arc.
 */
#ifndef READ_DECODE_GPROF_H
#define READ_DECODE_GPROF_H

#include "base/hash.h"
#include "base/numbers.h"
#include "read/event.h"
#include "read/input.h"

/* ---- gprof ----------------------------------------------------------------------------------- */

#define GPROF_NONE UINT32_MAX
/* No number is indented as far as an empty column is wide. */
#define GPROF_BLANK 12u

struct gprof_function {
	uint32_t index, name; /* in names */
	uint64_t self;	      /* ns */
	bool has_block;
	bool is_cycle; /* the block is that of a cycle as a whole */
};

struct gprof_arc {
	uint32_t caller, callee; /* places of functions */
	uint64_t count;
	bool is_of_callee; /* the call was read from the callee's block */
};

/* A line of the flat profile. */
struct gprof_row {
	uint32_t name;
	uint64_t self; /* ns */
};

enum gprof_section { GPROF_BETWEEN, GPROF_FLAT, GPROF_GRAPH };

struct gprof {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	enum gprof_section section;
	bool has_section;
	uint64_t interval; /* ns, 0: not known */
	uint64_t hits;	   /* those pushed */
	struct strings *names;
	struct id_table *indices; /* a function's index to its place */
	struct gprof_function *functions;
	struct gprof_arc *arcs;
	struct gprof_row *rows;
	size_t n_functions, n_arcs, n_rows, functions_size, arcs_size, rows_size;
	/* The block at hand. */
	bool in_block;
	size_t first_arc;
	uint32_t function; /* its place; GPROF_NONE: its line has not come yet */
};

/* A name with what gprof appends to it: in angle brackets the number of its cycle, and its index in
 * square brackets, or in round ones if the function has no block. */
struct gprof_label {
	const char *name;
	size_t n;
	uint64_t index; /* 0: none */
};

/* Read the rest of the line as such a name. */
struct gprof_label gprof_label(const struct text_scan *s);

/* Does a number with decimals come next? */
bool gprof_is_decimal(const struct text_scan *s);
/* Take "12.34" seconds as nanoseconds. NULL, or what is wrong. */
const char *gprof_seconds(struct text_scan *s, uint64_t *ns);

/* A line of the call graph. -1 on error. */
int gprof_graph_line(struct gprof *g);

#endif
