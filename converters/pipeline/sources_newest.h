/* SPDX-License-Identifier: MIT */
/*
 * newest.h - the recording that is meant when none is named.
 *
 * Main room. In: the current directory. Out: a file name.
 */
#ifndef NEWEST_H
#define NEWEST_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

/* The regular file *.cps last written to, of several of the same time the last by name. free()
 * it. NULL on error, also if there is none. */
char *newest_recording(struct error *err);

/* Is it a regular file *.cps? */
bool newest_is_recording(const char *name, struct stat *st);

#endif
