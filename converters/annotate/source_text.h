/* SPDX-License-Identifier: MIT */
/*
 * source_text.h - the text of a source file, which is read from its beginning on.
 *
 * In: a path as the debug information has it. Out: lines.
 */
#ifndef SOURCE_TEXT_H
#define SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "pack/pack_set.h"

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
/* A line without its line feed; of a pack only lines that are packed. It has *n bytes and is valid until the next call. Lines must be
 * asked for in ascending order. NULL: the file has no such line. */
const char *source_text_line(struct source_text *t, uint32_t line, size_t *n);

#endif
