/* SPDX-License-Identifier: MIT */
/*
 * explore_source.h - the source lines of a function, with what they used.
 *
 * In: a profile shaped by line, and a function. Out: lines, with their text where the
 * source is found.
 */
#ifndef EXPLORE_SOURCE_H
#define EXPLORE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pipeline/analysis.h"

/* Self: samples that were running the line; total: those whose stack has the function at this line,
 * running it or calling from it, each once. In the tree's unit, and raw samples. */
struct source_line {
	uint32_t file, line; /* a path in the profile's strings; STRINGS_NONE and 0: not known */
	uint64_t self, total, hits;
};

struct explore_source_lines {
	struct source_line *list; /* by path bytewise, then line; what is not known last */
	size_t n;
	uint64_t self, total; /* of the function; each stack counts once for the total */
};

/* explore_source_lines.c: s has a tree by line. -1: memory. Free in any case. */
int explore_source_lines_find(struct explore_source_lines *l, struct analysis *s,
			      const char *function, struct error *err);
void explore_source_lines_free(struct explore_source_lines *l);

/* explore_source_text.c: the text of a source file, from the beginning on. */
struct explore_source_text;

/* The file: as it is named; else below `directory` (NULL: none), or here, by as many of its last
 * parts as lead to a regular file. NULL: there is none. */
struct explore_source_text *explore_source_text_open(const char *path, const char *directory);
void explore_source_text_close(struct explore_source_text *t);
/* What it was found as. */
const char *explore_source_text_path(const struct explore_source_text *t);
/* A line, without its line feed; *n bytes, valid until the next call. Lines must be asked for in
 * ascending order. NULL: the file is not that long. */
const char *explore_source_text_line(struct explore_source_text *t, uint32_t line, size_t *n);

#endif
