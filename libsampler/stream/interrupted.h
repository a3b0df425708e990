/* SPDX-License-Identifier: MIT */
/*
 * interrupted.h - counts calls of the program that a tick has ended, and that nobody has gone on with.
 *
 * They have failed with EINTR, or were cut short. The wrappers go on with such calls. What the program makes by an
 * instruction of its own, with a time limit or to transfer something, cannot be gone on with (doc/decisions/0050, 0067). Of
 * transfers only the first is counted.
 */
#ifndef CPS_INTERRUPTED_H
#define CPS_INTERRUPTED_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Another call was ended, in any thread. */
void cps_interrupted_add(void);

/* [signal] How many have since the process began. */
uint32_t cps_interrupted_count(void);

/* [signal] Whether one has, here or in the process that this was forked from: the program makes such calls. */
bool cps_interrupted_ever(void);

/* [signal] For a child made by fork. */
void cps_interrupted_reset(void);

#endif
