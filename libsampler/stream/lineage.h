/* SPDX-License-Identifier: MIT */
/*
 * lineage.h - finds the process tree that a process belongs to.
 */
#ifndef CPS_LINEAGE_H
#define CPS_LINEAGE_H

#include <stdint.h>

/*
 * [signal] Find the root of the process tree: the topmost ancestor such that it and all processes
 * below it, down to this one, were started with the recorder; or the process itself. Gives its pid,
 * and its start in clock ticks after boot. Reads /proc; pid 0: that cannot be read. An ancestor
 * that has ended breaks the line.
 */
void cps_lineage_find(uint64_t *pid, uint64_t *start);

#endif
