/* SPDX-License-Identifier: MIT */
/*
 * explore_edit.h - lines that somebody types, with history and completion.
 *
 * In: a terminal. Out: lines. The editor is libedit: it has the licence of BSD, while
 * GNU readline's would have to be that of all of cpprof.
 */
#ifndef EXPLORE_EDIT_H
#define EXPLORE_EDIT_H

#include <stdio.h>

#include "explore/explore.h"

struct explore_edit;

/* The history is read from its file, and written to it when the editor is closed; that it cannot be
 * is no error. From now on an interrupt (SIGINT) stops what is being written (out_interrupt) or
 * typed, not the program. NULL: the terminal cannot be used. */
struct explore_edit *explore_edit_open(struct explore *e, FILE *in, FILE *out);
void explore_edit_close(struct explore_edit *d);

/* The next line, *n bytes without its line feed, valid until the next call. It is empty when it was
 * interrupted. NULL: there is no more. */
const char *explore_edit_line(struct explore_edit *d, size_t *n);

/* explore_list.c: write the first hundred of the names in columns, ordered downwards, and how many
 * more there are, below the line that is being typed. */
void explore_list(FILE *out, char *const *names, size_t n);

#endif
