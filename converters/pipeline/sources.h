/* SPDX-License-Identifier: MIT */
/*
 * sources.h - the files to be read.
 *
 * Main room. In: the names on the command line, or the current directory. Out: files, each once.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
