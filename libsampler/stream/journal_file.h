/* SPDX-License-Identifier: MIT */
/*
 * journal_file.h - the journal's file: its space on the disk, and its place in memory.
 */
#ifndef CPS_JOURNAL_FILE_H
#define CPS_JOURNAL_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"

/* [signal] Create the file `path` with room for `bytes` on the disk, and map it. If `at` is set it
 * replaces the mapping there, so that a thread that still looks at the old mapping finds memory. NULL,
 * and no file: that is not possible. copies_on_write: the file system does, but not for this file. */
uint8_t *cps_journal_file_map(const char *path, size_t bytes, void *at, bool *copies_on_write);

/* [signal] Whether the page of this address takes a store. The kernel is made to store the eight bytes of the
 * signal mask there. It fails where a store of ours would raise SIGBUS: behind the end of a file that
 * somebody has truncated, or where the file system has no free space for the page. */
static inline bool cps_journal_file_takes_store(uint8_t *at)
{
	return CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, at, 8) == 0;
}

#endif
