/* SPDX-License-Identifier: MIT */
/*
 * places.h - where samples are, and how two profiles differ there.
 */
#ifndef EXPORT_PLACES_H
#define EXPORT_PLACES_H

#include <stdbool.h>

#include "model/profile.h"
#include "write/view_input.h"

/* ---- places ---------------------------------------------------------------------------------- */
/*
 * The functions and lines that the frames of a profile stand for.
 *
 * In: a profile, the symbols of its frames. Out: for each frame that a sample has, its function and
 * those that the compiler has inlined there.
 */

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
	/* By frame of the calls that were counted (view_input_counted): the place of its function, alone; n is 0 if the frame
	 * stands for what was cut. NULL if there are none. */
	struct places_chain *of_called;
	uint32_t *names;   /* by function: as files have it (symbols_exported) */
	uint32_t *files;   /* likewise: a file that has it; STRINGS_NONE: not known */
	uint32_t *modules; /* likewise: a module that has it, or PROFILE_NO_MODULE */
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

/* ---- differences ----------------------------------------------------------------------------- */
/*
 * What stacks have before and after, as signed numbers whose sum is the difference.
 *
 * In: the nodes of a profile with a base, in any order. Out: what each contributes.
 *
 * As --base counts it: sums of all runs if there are as many on both sides and they are not scaled,
 * else means.
 */

struct differences;

/* Of two's complement: those of the runs before are negative. */
struct difference {
	uint64_t hits, weight;
};

/* NULL: out of memory. The caller frees it with free(). */
struct differences *differences_new(const struct profile *p, bool normalizes);
/* A node of that column. What is rounded goes to the nodes that come later, so that all together are the whole. */
struct difference differences_add(struct differences *d, size_t column,
				  const struct profile_node *node);

#endif
