/* SPDX-License-Identifier: MIT */
/*
 * progress.h - tells somebody who waits at a terminal how far it is.
 *
 * In: files, bytes read of them; what is being done. Out: a line on standard error, if
 * that is a terminal and it takes more than a second; redrawn ten times a second at most, and gone
 * at the end.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "pipeline/sources.h"

/* These files will be read, the first second begins; the one of that number is at hand, from 1 up;
 * other threads may have read some of them. */
void progress_files(const struct sources *from);
void progress_file(size_t number);
void progress_read(void);
/* Something that takes a while begins: "looking up names". */
void progress_begin(const char *what);
/* What was begun is over, or there is something else to write: the line is taken away. */
void progress_end(void);

#endif
