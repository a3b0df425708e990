/* SPDX-License-Identifier: MIT */
/*
 * pack_copy.h - copies recordings, and what belongs to them, into a pack.
 *
 * In: recordings, which may be in other packs. Out: files of the archive, lines of its index.
 */
#ifndef PIPELINE_PACK_COPY_H
#define PIPELINE_PACK_COPY_H

#include "model/profile.h"
#include "write/pack_tar.h"

/* Copy the recording at the path, its journal and the perf map of its process. -1: it is no recording, or cannot be
 * read. */
int pack_copy(struct pack_tar *t, const char *path, struct error *err);

/* Behind all recordings: copy the lists of programs without a recording of those runs of the profile of which they are shown
 * (short_processes.h, also for `all`). -1: memory is out, or another pack is damaged. */
int pack_copy_lists(struct pack_tar *t, struct profile *p, bool all, struct error *err);

#endif
