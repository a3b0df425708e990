/* SPDX-License-Identifier: MIT */
/*
 * places.h - the functions and lines that the frames of a profile stand for.
 *
 * In: a profile, the symbols of its frames. Out: for each frame that a sample has, its function and those that
 * the compiler has inlined there.
 */
#ifndef PLACES_H
#define PLACES_H

#include "write/view_input.h"

struct place {
	uint32_t function;     /* index in places.names */
	uint32_t file;	       /* in the profile's strings; STRINGS_NONE: not known */
	uint32_t line, column; /* 0: not known */
};

/* The places of a frame are all[first .. first + n - 1], outermost first; n is 0 if no sample has the frame. */
struct places_chain {
	uint32_t first, n;
};

struct places {
	struct place *all;
	struct places_chain *of_frame; /* by frame */
	uint32_t *names;	       /* by function: as files have it (symbols_exported) */
	uint32_t *files;	       /* likewise: a file that has it; STRINGS_NONE: not known */
	uint32_t *modules;	       /* likewise: a module that has it, or PROFILE_NO_MODULE */
	size_t n, n_functions;
	size_t size, names_size, files_size, modules_size;
};

/* Fills *x; places_free frees it, also after an error. -1: error. */
int places_find(struct places *x, const struct view_input *in, struct error *err);
void places_free(struct places *x);

/* Settle the names of all these functions, for symbols_exported(), if short ones are asked for. -1: error. */
int places_settle(const struct view_input *in, struct error *err);

/* Whether the node has no function: the root, a column, a group. */
bool places_is_none(const struct profile *p, size_t node);

#endif
