/* SPDX-License-Identifier: MIT */
/*
 * startup.h - what both programs do first.
 *
 * In: the program's name. Out: descriptors and signals as the rest of the program expects them.
 */
#ifndef STARTUP_H
#define STARTUP_H

#include <stdbool.h>

/* To be called before anything else. Messages begin with `name` then (message.h), a file that is
 * opened does not take the place of a closed standard descriptor, and a pipe whose reader has gone
 * is a write error instead of a signal. */
void startup(const char *name);

/* Whether a handler of signals, as signal() returns it, ends the program. */
bool startup_ends(void (*handler)(int));

#endif
