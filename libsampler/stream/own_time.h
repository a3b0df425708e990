/* SPDX-License-Identifier: MIT */
/*
 * own_time.h - the CPU time that recording takes, which is not credited to the target.
 *
 * It has two parts. What the recorder does is measured. What the kernel does to bring a tick (an
 * interrupt, a signal) passes before the handler begins; it is measured at some ticks, and their
 * median is charged for all (doc/decisions/0048).
 */
#ifndef CPS_OWN_TIME_H
#define CPS_OWN_TIME_H

#include <stdint.h>

/* [signal] Add CPU time of the recorder's. */
void cps_own_time_add(uint64_t ns);

/* [signal] A tick has come so much CPU time after it was due. A negative time counts as none. */
void cps_own_time_learn(int64_t delay_ns);

/* [signal] Add the kernel's time for one tick, which is at most `most`. Returns it. */
uint64_t cps_own_time_add_tick(uint64_t most);

/* [signal] All that was added, and the part of it that is the kernel's. */
uint64_t cps_own_time_sum(void);
/* [signal] */
uint64_t cps_own_time_kernel(void);

/* [signal] Nothing was added, for a child, which begins anew. What was learned stays. */
void cps_own_time_reset(void);

#endif
