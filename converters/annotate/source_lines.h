/* SPDX-License-Identifier: MIT */
/*
 * source_lines.h - the source lines of a function with the weight of each.
 *
 * In: the places of a tree by line (SYMBOLS_BY_SOURCE). Out: lines.
 */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/code_places.h"

/* A line is credited with its own weight (self), which is that of samples that were running it, and
 * with the weight of all stacks in which the function is at this line, running it or calling from
 * it (total). A stack counts once for the total, however often the function is in it. */
struct source_line {
	uint32_t file, line;  /* a path in the profile's strings; STRINGS_NONE and 0: not known */
	uint64_t self, total; /* in the tree's unit */
	uint64_t hits;	      /* samples */
};

struct source_lines {
	struct source_line *list; /* by path bytewise, then by line; what is not known comes last */
	size_t n;
};

/* Find the lines of the functions. -1: out of memory. To be freed in any case. */
int source_lines_find(struct source_lines *l, const struct code_places *p, const struct tree *tree,
		      struct error *err);
void source_lines_free(struct source_lines *l);

#endif
