/* SPDX-License-Identifier: MIT */
/*
 * rank.h - the number that a launcher of parallel programs has given this process.
 */
#ifndef CPS_RANK_H
#define CPS_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* False: no launcher has. Else *rank is below CPS_RANKS. A process that was started by one with a rank has the same
 * environment, and so the same rank. */
bool cps_rank_find(uint32_t *rank);

#endif
