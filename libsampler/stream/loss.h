/* SPDX-License-Identifier: MIT */
/*
 * loss.h - counts what could not be recorded, what recording takes, and whom it has interrupted.
 */
#ifndef CPS_LOSS_H
#define CPS_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "format.h"

/* ---- loss ------------------------------------------------------------------------------------ */
/*
 * Counts what is missing from the stream and why, and stops recording for good.
 */

/* [signal] */
void cps_loss_add(enum cps_loss reason, uint64_t n);
/* [signal] */
uint64_t cps_loss_get(enum cps_loss reason);
/* [signal] */
uint64_t cps_loss_sum(void);

/* [signal] Call f now, and whenever a counter or the reason of a stop has changed; NULL: do not. */
void cps_loss_mirror(void (*f)(void));

/* [signal] Stop recording for good, while the target runs on. Only the first reason is kept.
 * `error` is a -errno or 0. */
void cps_loss_stop(enum cps_stop why, int error);

/* [signal] The reason why recording was stopped, and the errno that goes with it. CPS_STOP_NONE: it
 * was not stopped. */
enum cps_stop cps_loss_stop_reason(int *error);

/* [signal] Nothing is lost and recording is not stopped, for a child, which begins anew. */
void cps_loss_reset(void);

/* ---- own time -------------------------------------------------------------------------------- */
/*
 * The CPU time that recording takes, which is not credited to the target.
 *
 * It has two parts. What the recorder does is measured. What the kernel does to bring a tick (an
 * interrupt, a signal) passes before the handler begins; it is measured at some ticks, and their
 * median is charged for all (doc/decisions/0048).
 */

/* [signal] Add CPU time of the recorder's. */
void cps_own_time_add(uint64_t ns);

/* [signal] A tick has come so much CPU time after it was due. A negative time counts as none. */
void cps_own_time_learn(int64_t delay_ns);

/* [signal] Add the kernel's time for one tick, which is at most `most`. Returns it. */
uint64_t cps_own_time_add_tick(uint64_t most);

/* [signal] Add CPU time, of which the thread's sample would have been, that calls were being counted in. It is the recorder's,
 * too. */
void cps_own_time_add_profiling(uint64_t ns);
/* [signal] All of that. */
uint64_t cps_own_time_profiling(void);

/* [signal] All that was added, and the part of it that is the kernel's. */
uint64_t cps_own_time_sum(void);
/* [signal] */
uint64_t cps_own_time_kernel(void);

/* [signal] Nothing was added, for a child, which begins anew. What was learned stays. */
void cps_own_time_reset(void);

/* ---- interrupted ----------------------------------------------------------------------------- */
/*
 * Counts calls of the program that a tick has ended, and that nobody has gone on with.
 *
 * They have failed with EINTR, or were cut short. The wrappers go on with such calls. What the
 * program makes by an instruction of its own, with a time limit or to transfer something, cannot be
 * gone on with (doc/decisions/0050, 0067). Of transfers only the first is counted.
 */

/* [signal] Another call was ended, in any thread. */
void cps_interrupted_add(void);

/* [signal] How many have since the process began. */
uint32_t cps_interrupted_count(void);

/* [signal] Whether one has, here or in the process that this was forked from: the program makes such calls. */
bool cps_interrupted_ever(void);

/* [signal] For a child made by fork. */
void cps_interrupted_reset(void);

#endif
