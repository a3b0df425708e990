/* SPDX-License-Identifier: MIT */
/*
 * calls.h - call graphs that come without stacks.
 *
 * gprof and callgrind write such profiles. The functions' totals have to be found by propagation
 * (graph/propagate.h).
 */
#ifndef MODEL_CALLS_H
#define MODEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "read/event.h"

#define CALLS_NONE UINT32_MAX

/* Two functions are the same if their names, files and objects are. */
struct calls_function {
	uint32_t name;			 /* numbers of strings; calls_name makes names distinct */
	uint32_t file, object;		 /* STRINGS_NONE: not known */
	uint64_t self_weight, self_hits; /* gticks, raw samples */
	uint64_t inclusive_weight;	 /* struct event_self; 0 without has_inclusive */
};

struct calls_arc {
	uint32_t caller, callee; /* indices in functions; they may be equal */
	uint64_t count;		 /* of calls */
	uint64_t weight;	 /* struct event_call; 0 without has_inclusive */
};

/* Begins as all zero; calls_clear frees what it holds. */
struct calls {
	struct calls_function *functions; /* in order of appearance */
	struct calls_arc *arcs;		  /* likewise */
	size_t n_functions, n_arcs;
	bool has_inclusive; /* all inputs had inclusive weights */
	bool has_totals;    /* and those are totals: struct event_end */
	size_t functions_size, arcs_size;
	struct pair_table places, identities,
		pairs; /* (file, object), (name, place), (caller, callee) */
};

void calls_clear(struct calls *c);

/* The index of a function, added if it is new. CALLS_NONE: memory. */
uint32_t calls_function(struct calls *c, struct strings *s, const struct event_function *f);

/* The arc between two functions, added if it is new. NULL: memory. Valid until the next one. */
struct calls_arc *calls_arc(struct calls *c, uint32_t caller, uint32_t callee);

/* Give functions of the same name distinct names: "NAME (FILE)", "NAME (OBJECT)" or "NAME (FILE,
 * OBJECT)", whichever is the first that tells all of them apart. The last one has whole paths, the
 * others have no directories. -1: memory. */
int calls_name(struct calls *c, struct strings *s);

#endif
