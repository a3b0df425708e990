/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory from the kernel that is never given back.
 *
 * Locks: none; any number of threads and handlers may allocate at once.
 */
#ifndef CPS_ARENA_H
#define CPS_ARENA_H

#include <stddef.h>

/* [signal] Zeroed memory, 16-byte aligned; NULL when the kernel has none. */
void *cps_arena_take(size_t bytes);

/* [signal] Zeroed whole pages, not backed before they are touched; NULL when there are none. */
void *cps_arena_pages(size_t bytes);

/* [signal] Give pages back. NULL is allowed. */
void cps_arena_unmap(void *pages, size_t bytes);

/* [signal] If the target has all its new memory locked (mlockall, MCL_FUTURE), unlock these new
 * pages: they are not the target's, but count against its limit. */
void cps_arena_unlock(void *pages, size_t bytes);

/* [signal] A copy of n bytes with a NUL behind them; NULL when there is no memory. */
char *cps_arena_copy(const char *bytes, size_t n);

#endif
