/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - alternate stacks for signals, one for each thread.
 *
 * They lie in slabs, many to a mapping, because the kernel counts mappings (vm.max_map_count) and a program
 * may need all of them for its own threads' stacks. Handlers of the target's may run on them, so there is a page below
 * each that faults. Since Linux 6.13 this takes no mapping; before, the first CPS_STACKS_GUARDED stacks have one.
 *
 * Locks: none; any number of threads and handlers may call this at once.
 */
#ifndef CPS_STACKS_H
#define CPS_STACKS_H

#include <stddef.h>

#include "arch/arch.h"

#define CPS_STACKS_BYTES   (((size_t)64 << 10) + CPS_FRAME_MORE)
#define CPS_STACKS_GUARDED 1024

/* [signal] The number of a stack of CPS_STACKS_BYTES; -1: there is no memory. */
int cps_stacks_take(void);

/* [signal] Its lowest byte. */
char *cps_stacks_at(int number);

/* [signal] Give it back. Some stay as they are, the memory of others is given to the kernel. */
void cps_stacks_give(int number);

/* [signal] In a child made by fork: all but this one (-1: all) are free. */
void cps_stacks_reset(int number);

#endif
