/* SPDX-License-Identifier: MIT */
/*
 * explore_edit.h - reads lines that the user types, with history and completion.
 *
 * In: a terminal. Out: lines. The editor is libedit, because of its BSD licence: with GNU readline
 * all of cpprof would have to have the licence of readline.
 */
#ifndef EXPLORE_EDIT_H
#define EXPLORE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "explore/explore.h"

struct explore_edit;

/* Begin to edit lines. The history is read from its file now, and written there when the editor is
 * closed; it is no error if that is not possible. From now on an interrupt (SIGINT) ends what is
 * being done (stop.h) or typed, and not the program. NULL: the terminal cannot be
 * used. */
struct explore_edit *explore_edit_open(struct explore *e, FILE *in, FILE *out);
void explore_edit_close(struct explore_edit *d);

/* The next line, which has *n bytes and is valid until the next call. It is empty if the user
 * interrupted it. NULL: the input has ended. */
const char *explore_edit_line(struct explore_edit *d, size_t *n);

/* explore_commands.c: write the first hundred of the names below the line that is being typed, in
 * columns that are read downwards, and say how many more there are. */
void explore_list(FILE *out, char *const *names, size_t n);

/* ---- explore complete ------------------------------------------------------------------------ */
/*
 * Completes a line that is being typed.
 *
 * In: the line up to the cursor. Out: the texts that may stand there, and their common beginning.
 */

struct explore_completion {
	char **list; /* the names that fit, sorted bytewise, without quotes */
	size_t n, size;
	size_t begin; /* `text` replaces the line from here to the cursor */
	char *text;   /* the common beginning of all names, quoted if that is needed; of a single
		       * name, all of it and a blank */
};

/* Find the names that fit at the end of these n bytes. The list is empty if there are none, or if
 * memory is short. To be freed in any case. */
void explore_complete(struct explore *e, const char *line, size_t n, struct explore_completion *c);
void explore_completion_free(struct explore_completion *c);

#endif
