/* SPDX-License-Identifier: MIT */
/*
 * interrupted.h - counts calls of the program that have failed with EINTR because of a tick.
 *
 * The wrappers make such calls again. What the program makes by an instruction of its own, with a time limit,
 * cannot be made again (doc/decisions/0067).
 */
#ifndef CPS_INTERRUPTED_H
#define CPS_INTERRUPTED_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Another call has failed, in any thread. */
void cps_interrupted_add(void);

/* [signal] How many have since the process began. */
uint32_t cps_interrupted_count(void);

/* [signal] Whether one has, here or in the process that this was forked from: the program makes such calls. */
bool cps_interrupted_ever(void);

/* [signal] For a child made by fork. */
void cps_interrupted_reset(void);

#endif
