/* SPDX-License-Identifier: MIT */
/*
 * names_given.h - what the command line names: files, directories, a list of them.
 *
 * Main room. In: names. Out: names of files.
 */
#ifndef NAMES_GIVEN_H
#define NAMES_GIVEN_H

#include <stddef.h>

#include "base/error.h"

/* Begins as all zero. */
struct names_given {
	char **list;
	size_t n, size;
};

/* A file, or a directory: the recordings in it, by name. -1: memory, or it has none. */
int names_given_add(struct names_given *g, const char *name, struct error *err);

/* What the file names ("-": standard input), each on a line, or each with a NUL behind it. -1: it
 * cannot be read, it names nothing, or as above. */
int names_given_add_list(struct names_given *g, const char *file, struct error *err);

void names_given_free(struct names_given *g);

#endif
