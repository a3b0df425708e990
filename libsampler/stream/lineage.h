/* SPDX-License-Identifier: MIT */
/*
 * lineage.h - the process tree that a process belongs to.
 */
#ifndef CPS_LINEAGE_H
#define CPS_LINEAGE_H

#include <stdint.h>

/*
 * [signal] The topmost of this process's ancestors from which on all have been started with the
 * recorder, or the process itself: its pid, and its start in clock ticks after boot. Reads /proc;
 * pid 0: that cannot be read. An ancestor that has ended breaks the line.
 */
void cps_lineage_find(uint64_t *pid, uint64_t *start);

#endif
