/* SPDX-License-Identifier: MIT */
/*
 * decode_callgrind.h - decodes the files that valgrind's tool callgrind writes, and others of that
 * form.
 */
#ifndef READ_DECODE_CALLGRIND_H
#define READ_DECODE_CALLGRIND_H

#include <stdbool.h>
#include <stdint.h>

#include "read/event.h"
#include "read/input.h"

/* ---- callgrind ------------------------------------------------------------------------------- */
/*
 * What has been read of a callgrind file so far.
 */

struct callgrind_function {
	uint32_t name, file, object; /* numbers of texts */
	bool is_deeper;		     /* its name ends in 'N: the function was running already */
};

struct callgrind {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	struct callgrind_names *names;
	/* What the header says. */
	uint64_t pid;
	uint32_t creator, command;
	uint32_t *events; /* the names of the events, in the order of the columns of cost */
	size_t n_events, events_size;
	uint32_t *
		units; /* by name of the event: the name of its unit, if libcpsample wrote the file */
	size_t n_units, units_size;
	size_t n_positions; /* columns before those of cost */
	size_t column;	    /* the column of the event that is read */
	uint32_t event;	    /* its name */
	bool has_process;   /* the process event was pushed */
	bool has_function;  /* there was a fn= line */
	bool is_part_over;  /* a line "totals:" followed the last cost */
	/* The function whose costs follow. */
	uint32_t file, object;
	struct callgrind_function function;
	uint64_t self_weight, inclusive_weight;
	/* The callee of the next calls= line; what that line says. */
	uint32_t called_file, called_object;
	bool has_called_file, has_called_object, has_called;
	struct callgrind_function called;
	bool in_call; /* the next line is the cost of that call */
	uint64_t calls;
	/* Of the file. */
	bool has_levels;   /* the file tells the levels of a recursion apart by names such as f'2 */
	bool has_contexts; /* names are made of functions and their callers */
	uint64_t total;
};

/* Read a line of the body: costs, a call, or what they belong to. -1 on error. */
int callgrind_body_line(struct callgrind *c);
/* Push the self weight of the function at hand, whose block is over. */
int callgrind_self_push(struct callgrind *c);

/* ---- callgrind names ------------------------------------------------------------------------- */
/*
 * The names of a callgrind file, which are written once and numbered.
 *
 * "(7) main" says that 7 stands for main from here on, and "(7)" is main again. A name that does
 * not begin with a number in brackets stands for itself. Files, functions and objects are numbered
 * separately.
 */

#define CALLGRIND_NO_NAME UINT32_MAX

enum callgrind_kind { CALLGRIND_FILE, CALLGRIND_FUNCTION, CALLGRIND_OBJECT, CALLGRIND_KINDS };

struct callgrind_names;

struct callgrind_names *callgrind_names_new(void); /* NULL: out of memory */
void callgrind_names_free(struct callgrind_names *n);

/* The rest of the line is a name. *name becomes the number of its text, which is the same for the
 * same text of any kind. It becomes CALLGRIND_NO_NAME if the name is empty or "???". -1: memory, or
 * the number in brackets is malformed or stands for no name. */
int callgrind_name(struct callgrind_names *n, enum callgrind_kind kind, struct text_scan *s,
		   uint32_t *name);

/* The number of a text. CALLGRIND_NO_NAME: memory. */
uint32_t callgrind_name_add(struct callgrind_names *n, const char *text, size_t length);

/* The text of a name; it is empty for CALLGRIND_NO_NAME. It is valid as long as n. */
struct event_text callgrind_name_text(const struct callgrind_names *n, uint32_t name);

#endif
