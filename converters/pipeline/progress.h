/* SPDX-License-Identifier: MIT */
/*
 * progress.h - tells a user who waits at a terminal how far the work is.
 *
 * In: the files, how many bytes of them have been read, the name of a step. Out: a line on standard
 * error. It is only drawn if that is a terminal and the work takes more than a second. It is drawn
 * anew at most ten times a second, and removed at the end.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "pipeline/sources.h"

/* These files will be read. The line appears a second after this call at the earliest. */
void progress_files(const struct sources *from);

/* The file of this number is being read; the first one has number 1. */
void progress_file(size_t number);

/* Put into the line how much all threads have read by now. */
void progress_read(void);

/* A step begins that may take long, such as "looking up names". */
void progress_begin(const char *what);

/* The step is over, or something else is to be written: the line is removed. */
void progress_end(void);

#endif
