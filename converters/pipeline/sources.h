/* SPDX-License-Identifier: MIT */
/*
 * sources.h - finds the files to be read.
 */
#ifndef PIPELINE_SOURCES_H
#define PIPELINE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/stop.h"

/* ---- sources --------------------------------------------------------------------------------- */
/*
 * The files to be read.
 *
 * In: the names on the command line, or the current directory. Out: a list that has each file once.
 */

struct pack_set;

struct sources {
	char **files;
	size_t n, size;
	size_t n_given; /* files, before packs were replaced by what is in them */
	struct pack_set *packs;
	char **again; /* names of files that were given before, by the same or another name */
	size_t n_again, again_size;
	char **same; /* for each recording that is left out because another one is the same: both names */
	size_t n_same, same_size;
	char *alone;	/* where the others of its run are, if one recording is named; else NULL */
	char *newest;	/* the newest recording, one of `files`; NULL if files were named */
	uint64_t bytes; /* the sum of all sizes that are known */
	bool is_read_once_only;	 /* one of them is a pipe, a terminal or standard input */
	const struct runs *runs; /* of which these are recordings; borrowed; NULL: not told apart */
};

/*
 * Find the files to be read: the named files, the recordings in the named directories, and the
 * files whose names the file `list` holds (NULL: there is no list). If nothing is named, they are
 * the newest recording in the current directory and the other recordings of its process tree, in
 * the order in which the processes began; damaged recordings other than the newest are left out
 * then. A pack stands for the recordings in it. Of copies of a recording, such as one in a pack and one given apart, one is in the
 * list.
 * To be freed also after an error.
 */
int sources_find(struct sources *s, char *const *names, size_t n, const char *list,
		 struct error *err);
/* Move the files of `other`, which has none then, to the end of the list. */
int sources_append(struct sources *s, struct sources *other, struct error *err);
/* Refuse an output (NULL: none) that is one of the files to be read (NULL: none), by whatever name. */
int sources_check_output(const struct sources *s, const char *output, struct error *err);
void sources_free(struct sources *s);

/* ---- the recording that is meant when none is named ---- */

/* The regular file *.cps of the current directory that was written to last; of several with the
 * same time, the last by name. The caller frees the name. NULL on error, and if there is none. */
char *sources_newest(struct error *err);

/* Is it a regular file *.cps? *st becomes its status then. */
bool sources_is_recording(const char *name, struct stat *st);

#endif
