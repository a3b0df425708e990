/* SPDX-License-Identifier: MIT */
/*
 * explore_source.h - the source lines of a function with the weight of each.
 *
 * In: a profile shaped by line, and a function. Out: lines, and their text if the source is found.
 */
#ifndef EXPLORE_SOURCE_H
#define EXPLORE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pipeline/analysis.h"

/* A line is credited with its own weight (self), which is that of samples that were running it, and
 * with the weight of all stacks in which the function is at this line, running it or calling from
 * it (total). A stack counts once for the total, however often the function is in it. */
struct source_line {
	uint32_t file, line;  /* a path in the profile's strings; STRINGS_NONE and 0: not known */
	uint64_t self, total; /* in the tree's unit */
	uint64_t hits;	      /* samples */
};

struct explore_source_lines {
	struct source_line *list; /* by path bytewise, then by line; what is not known comes last */
	size_t n;
	uint64_t self, total; /* of the function; each stack counts once for the total */
};

/* explore_source_lines.c: find the lines of the function in s, which has a tree by line. -1: out of
 * memory. To be freed in any case. */
int explore_source_lines_find(struct explore_source_lines *l, struct analysis *s,
			      const char *function, struct error *err);
void explore_source_lines_free(struct explore_source_lines *l);

/* explore_source_text.c: the text of a source file, which is read from its beginning on. */
struct explore_source_text;

/* Open the source file of this path. If there is a `directory` (not NULL), the file is looked for
 * below it first: by the whole path, and then without one leading part after the other. After that
 * the path is tried as it is, and then in the same way below the current directory. NULL: no
 * regular file is found. */
struct explore_source_text *explore_source_text_open(const char *path, const char *directory);
void explore_source_text_close(struct explore_source_text *t);
/* The path under which the file was found. */
const char *explore_source_text_path(const struct explore_source_text *t);
/* A line without its line feed. It has *n bytes and is valid until the next call. Lines must be
 * asked for in ascending order. NULL: the file has no such line. */
const char *explore_source_text_line(struct explore_source_text *t, uint32_t line, size_t *n);

#endif
