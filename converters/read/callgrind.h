/* SPDX-License-Identifier: MIT */
/*
 * callgrind.h - what has been read of a callgrind file so far.
 *
 * Shared by decode_callgrind.c, which reads the header, and callgrind_body.c, which reads the
 * costs.
 */
#ifndef CALLGRIND_H
#define CALLGRIND_H

#include "read/callgrind_names.h"
#include "read/event.h"
#include "read/text_scan.h"

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

#endif
