/* SPDX-License-Identifier: MIT */
/*
 * callgrind.h - what has been read of a callgrind file, and where in it we are.
 *
 * Shared by decode_callgrind.c, which reads the header, and callgrind_body.c, which reads
 * the costs.
 */
#ifndef CALLGRIND_H
#define CALLGRIND_H

#include "read/callgrind_names.h"
#include "read/event.h"
#include "read/text_scan.h"

struct callgrind_function {
	uint32_t name, file, object; /* numbers of texts */
	bool is_deeper;		     /* it was running already */
};

struct callgrind {
	struct text_scan scan;
	const struct event_sink *sink;
	struct error *err;
	struct callgrind_names *names;
	/* What the header says. */
	uint64_t pid;
	uint32_t creator, command;
	uint32_t *events; /* names, in order of the columns of cost */
	size_t n_events, events_size;
	size_t n_positions; /* columns before those of cost */
	size_t column;	    /* the event taken */
	uint32_t event;	    /* its name */
	bool has_process;   /* it was pushed */
	bool has_function;  /* there was a fn= line */
	bool is_part_over;  /* totals: has come after the last cost */
	/* Where we are. */
	uint32_t file, object;
	struct callgrind_function function;
	uint64_t self_weight, inclusive_weight;
	/* The callee of the next calls= line; what that line says. */
	uint32_t called_file, called_object;
	bool has_called_file, has_called_object, has_called;
	struct callgrind_function called;
	bool in_call; /* its cost comes next */
	uint64_t calls;
	/* Of the file. */
	bool has_levels;   /* functions that run already have names of their own */
	bool has_contexts; /* names are made of functions and their callers */
	uint64_t total;
};

/* A line of costs, calls, or of where they are. -1 on error. */
int callgrind_body_line(struct callgrind *c);
/* Push what the function at hand itself used: its block is over. */
int callgrind_self_push(struct callgrind *c);

#endif
