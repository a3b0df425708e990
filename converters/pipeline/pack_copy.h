/* SPDX-License-Identifier: MIT */
/*
 * pack_copy.h - copies a recording, and what belongs to it, into a pack.
 */
#ifndef PACK_COPY_H
#define PACK_COPY_H

#include "write/pack_tar.h"

/* Copy the recording at the path, its journal and the perf map of its process. -1: it is no recording, or
 * cannot be read. */
int pack_copy(struct pack_tar *t, const char *path, struct error *err);

#endif
