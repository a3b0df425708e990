/* SPDX-License-Identifier: MIT */
/*
 * regular.h - opens files by names that others have given.
 */
#ifndef CPCONV_BASE_REGULAR_H
#define CPCONV_BASE_REGULAR_H

#include <sys/stat.h>

/* Open a regular file to read it. What else has the name is not opened, since that alone has effects with some devices. Returns the
 * descriptor, to be closed, and sets what the file is; or returns -1 and sets errno: to ENOEXEC if it is no regular file. */
int regular_open(const char *path, struct stat *is);

#endif
