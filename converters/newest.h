/* SPDX-License-Identifier: MIT */
/*
 * newest.h - the recording that is meant when none is named.
 *
 * Main room. In: the current directory. Out: a file name.
 */
#ifndef NEWEST_H
#define NEWEST_H

#include "error.h"

/* The regular file *.cps last written to, of several of the same time the last by name. free() it. NULL
 * on error, also if there is none. */
char *newest_recording(struct error *err);

#endif
