/* SPDX-License-Identifier: MIT */
/*
 * own_memory.h - tells the recorded process from its children.
 *
 * A child of vfork(2) shares the memory of the recorded process, where nothing of the recording may
 * be changed on its behalf; a child of fork(2) has a copy, and begins a recording of its own.
 */
#ifndef CPS_OWN_MEMORY_H
#define CPS_OWN_MEMORY_H

#include <stdbool.h>

/* The calling process is the recorded one from now on. */
void cps_own_memory_begin(void);

/* Is it the calling process, or was it, in memory of its own? Costs a system call. */
bool cps_own_memory_is_here(void);

/* Is the calling process a child that has a copy of the recorded one's memory? */
bool cps_own_memory_is_copy(void);

/* The number of the recorded process. */
int cps_own_memory_pid(void);

#endif
