/* SPDX-License-Identifier: MIT */
/*
 * program.h - how both programs begin, and what they exit with.
 *
 * In: a name, an error. Out: an exit status.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "base/error.h"
#include "write/out.h"

#define EXIT_USAGE 2

/* First of all: who speaks (message.h), and no surprises from descriptors and signals. */
void program_begin(const char *name);

/* Say what went wrong. Returns the exit status: EXIT_FAILURE, or EXIT_USAGE. */
int program_die(const struct error *err);

/* Write to standard output. Returns the exit status. */
int program_print(void (*write)(struct out *o));

#endif
