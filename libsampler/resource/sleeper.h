/* SPDX-License-Identifier: MIT */
/*
 * sleeper.h - credits a thread that is blocked to where it is, from another thread.
 */
#ifndef CPS_SLEEPER_H
#define CPS_SLEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/recording.h"
#include "stream/thread.h"
#include "unwind/regs.h"

/* [signal] The calling thread, whose `sleep` this is, may be blocked from now on in a call that the function with these
 * registers makes; and is not any more. */
void cps_sleeper_note(struct cps_sleep *sleep, uint32_t state, uint64_t since, uint64_t leaf,
		      const uint64_t regs[CPS_REGS_KEPT]);
/* [signal] */
void cps_sleeper_forget(struct cps_sleep *sleep);

/* [signal] Whether a call that the thread has noted was made further up the stack than at `sp`: a handler of
 * the target's has interrupted it. (Or was left by longjmp from further down, until the next tick.) */
bool cps_sleeper_encloses(const struct cps_sleep *sleep, uintptr_t sp);

/* [signal] In our handler: whether the interrupted code is not part of a call that the calling thread has noted. One
 * that was left by longjmp, or is interrupted by a handler of the target's, is forgotten. */
bool cps_sleeper_is_left(struct cps_sleep *sleep, const ucontext_t *context);

/* [signal] Copy what a thread has noted. False: it is not blocked. */
bool cps_sleeper_read(const struct cps_sleep *sleep, struct cps_sleep *copy);

/* [signal] Credit the thread as a call of `credit->leaf` by the function with the registers of the copy of `sleep`, if it
 * is still in that call. False: it is not, or a loss was counted. */
bool cps_sleeper_take(struct cps_thread *t, const struct cps_sleep *sleep,
		      const struct cps_sleep *copy, const struct cps_credit *credit);

/* [signal] Credit the thread without a place (cps_sample_add_not_sampled). */
bool cps_sleeper_take_nowhere(struct cps_thread *t, const struct cps_credit *credit);

/* [signal] Whether so much time is worth a recording, if there is none yet. */
bool cps_sleeper_is_worth(uint64_t ns);

#endif
