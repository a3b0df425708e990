/* SPDX-License-Identifier: MIT */
/*
 * masked.h - tells whether a tick has interrupted a call that changes the mask while it waits.
 *
 * sigsuspend, ppoll and the like wait with a mask of signals of their own. If a handler of the target's
 * runs meanwhile, the call is over when that handler returns. A tick that comes at this moment looks
 * as if it had interrupted the call, but the mask of the call is not in force any more. For the handler
 * to see this, the call's mask and that around it differ in one signal that the handler does not block:
 * the mask around the call is changed for as long as the call lasts (doc/decisions/0051).
 */
#ifndef CPS_MASKED_H
#define CPS_MASKED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "unwind/regs.h"

/* Threads may have little stack: the two flags lie side by side. */
struct cps_masked {
	uintptr_t frame; /* of the function that makes the call; 0: no such call */
	uint64_t bit;	 /* the signal in which the masks differ */
	uint64_t held;	 /* signals of ours that are blocked around the call (cps_masked_hold) */
	bool is_inside;	 /* the mask of the call blocks it */
	bool is_quiet;	 /* the clock is to let no tick come into the call (cps_masked_hold) */
};

extern __thread struct cps_masked cps_masked_now; /* of the calling thread */

/* A call that has begun. */
struct cps_masked_call {
	struct cps_masked before; /* what was begun before */
	uint64_t bit;		  /* the signals that were changed around the call */
	int undo;		  /* what sigprocmask has to do with it afterwards; -1: nothing */
};

/* [signal] Our signals may come inside of calls from now on. Before that the functions below have
 * nothing to do. Whether they are all ticks that the clock can keep out of calls (struct cps_meter). */
void cps_masked_watch(bool are_ticks);

/* [signal] To be called by a function, whose frame is `frame`, before it makes such a call with this
 * mask; *call is for cps_masked_end. NULL, or a mask that cannot be read: the call changes no mask, or fails. */
void cps_masked_begin(struct cps_masked_call *call, uintptr_t frame, const sigset_t *mask);

/* [signal] To be called after the call. errno stays as it is. */
void cps_masked_end(const struct cps_masked_call *call);

/* [signal] To be called by a function, whose frame is `frame`, before it makes a call that cannot be gone on with: our
 * signals do not come until cps_masked_end. Those of them that the target has sent itself do not either, unless the clock
 * keeps ticks out of the call: then nothing is blocked that the C library may send. If a handler leaves the call by longjmp,
 * they come again when the thread makes its next wrapped call. */
struct cps_masked_call cps_masked_hold(uintptr_t frame);

/* [signal] The set of signals to wait for, without the recorder's own: the kernel would give a signal of ours to who waits
 * for it, although the C library lets no program do so. Returns `set` itself, or *copy, which is as much of it as the kernel reads. */
const sigset_t *cps_masked_awaited(const sigset_t *set, uint64_t *copy);

/* [signal] The signals that are blocked around such a call, in which a handler of the target's is running; or none. */
static inline uint64_t cps_masked_held(void)
{
	return cps_masked_now.held;
}

/* [signal] Such a call was left by longjmp. */
void cps_masked_leave(void);

/* [signal] A call that begins in a function with this frame: a masked call that was left by longjmp
 * is noticed, because its frame is not well above this one. */
static inline void cps_masked_forget(uintptr_t frame)
{
	if (cps_masked_now.frame && frame + CPS_REGS_NEAR > cps_masked_now.frame)
		cps_masked_leave();
}

/* [signal] In our handler: whether the context is that of a masked call that is over, because a
 * handler of the target's has run. */
bool cps_masked_is_over(const ucontext_t *uc);

#endif
