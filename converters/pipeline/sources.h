/* SPDX-License-Identifier: MIT */
/*
 * sources.h - the files to be read.
 *
 * In: the names on the command line, or the current directory. Out: files, each once.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct sources {
	char **files;
	size_t n, size;
	char **again; /* files given a second time, by this or another name */
	size_t n_again, again_size;
	char *newest;	/* NULL: files were named; else the newest recording, one of `files` */
	uint64_t bytes; /* of all files, as far as that is known */
	bool is_read_once_only; /* one of them is a pipe, a terminal, standard input */
};

/*
 * The named files, the recordings in named directories, and what the file `list` (NULL: none) names;
 * without any, the newest recording here and the others of its process tree, in
 * the order in which the processes began. Damaged files are passed over there unless they are the
 * newest. Free in any case.
 */
int sources_find(struct sources *s, char *const *names, size_t n, const char *list,
		 struct error *err);
void sources_free(struct sources *s);

/* ---- sources_named.c: files, directories and lists that the command line names ---- */

/* Begins as all zero. */
struct sources_named {
	char **list;
	size_t n, size;
};

/* A file, or a directory: the recordings in it, by name. -1: memory, or it has none. */
int sources_named_add(struct sources_named *g, const char *name, struct error *err);

/* What the file names ("-": standard input), each on a line, or each with a NUL behind it. -1: it
 * cannot be read, it names nothing, or as above. */
int sources_named_add_list(struct sources_named *g, const char *file, struct error *err);

void sources_named_free(struct sources_named *g);

/* ---- sources_newest.c: the recording that is meant when none is named ---- */

/* The regular file *.cps last written to, of several of the same time the last by name. free()
 * it. NULL on error, also if there is none. */
char *sources_newest(struct error *err);

/* Is it a regular file *.cps? */
bool sources_is_recording(const char *name, struct stat *st);

#endif
