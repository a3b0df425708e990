/* SPDX-License-Identifier: MIT */
/*
 * source_text.h - finds source files, and weighs their lines.
 */
#ifndef ANNOTATE_SOURCE_TEXT_H
#define ANNOTATE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/code_places.h"
#include "pack/pack_names.h"

/* ---- source text ----------------------------------------------------------------------------- */
/*
 * The text of a source file, which is read from its beginning on.
 *
 * In: a path as the debug information has it. Out: lines.
 */

struct source_text;

/* Open the source file of this path. `directories` (NULL: none) are separated by colons; the file is
 * looked for below each: by the whole path, and then without one leading part after the other. Then
 * comes what packs (NULL: none) have of it. After that the path is tried as it is, and then in the same way below the current directory. NULL: no
 * regular file is found. */
struct source_text *source_text_open(const char *path, const char *directories,
				     const struct pack_set *packs);
/* The same, but only of what packs have. */
struct source_text *source_text_packed(const char *path, const struct pack_set *packs);
void source_text_close(struct source_text *t);
/* The path under which the file was found. */
const char *source_text_path(const struct source_text *t);
/* Whether the file was changed after this moment, in nanoseconds since 1970; 0 and UINT64_MAX: the moment is not known,
 * and nothing was. Lines in packs were not: what is changed is not packed. A text in one of the `directories` is the one that
 * the user means. */
bool source_text_is_newer(const struct source_text *t, uint64_t ns);
/* A line without its line feed; of a pack only lines that are packed. It has *n bytes and is valid until the next call. Lines must be
 * asked for in ascending order. NULL: the file has no such line. */
const char *source_text_line(struct source_text *t, uint32_t line, size_t *n);

/* ---- source lines ---------------------------------------------------------------------------- */
/*
 * The source lines of a function with the weight of each.
 *
 * In: the places of a tree by line (SYMBOLS_BY_SOURCE). Out: lines.
 */

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
