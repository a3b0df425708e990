/* SPDX-License-Identifier: MIT */
/*
 * interruption.h - finds out which system calls our signals have interrupted.
 */
#ifndef CPS_INTERRUPTION_H
#define CPS_INTERRUPTION_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "arch/arch.h"

/* ---- displaced ------------------------------------------------------------------------------- */
/*
 * Tells calls that our handler was not in its place for a moment.
 *
 * The first call of pthread_cancel installs the C library's handler for the signal that our ticks
 * have. A tick that comes before ours is back ends poll and the like, and nobody counts it.
 * Whatever interrupts a call then is taken for a tick: a signal of the target's is overlooked, but
 * only if it comes in this moment, once in the life of a process.
 */

extern _Atomic uint32_t cps_displaced_changes;

/* [signal] Our handler may be replaced from now on; it is back. A moment that has no end is over after a second. */
void cps_displaced_begin(void);
/* [signal] */
void cps_displaced_end(void);

/* [signal] For cps_displaced_since: when a call begins. */
static inline uint32_t cps_displaced_now(void)
{
	return atomic_load_explicit(&cps_displaced_changes, memory_order_relaxed);
}

/* [signal] Whether it has been replaced since then. */
bool cps_displaced_since(uint32_t then);

/* ---- masked ---------------------------------------------------------------------------------- */
/*
 * Tells whether a tick has interrupted a call that changes the mask while it waits.
 *
 * sigsuspend, ppoll and the like wait with a mask of signals of their own. If a handler of the
 * target's runs meanwhile, the call is over when that handler returns. A tick that comes at this
 * moment looks as if it had interrupted the call, but the mask of the call is not in force any
 * more. For the handler to see this, the call's mask and that around it differ in one signal that
 * the handler does not block: the mask around the call is changed for as long as the call lasts
 * (doc/decisions/0051).
 */

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

/* ---- transfer cut ---------------------------------------------------------------------------- */
/*
 * Tells a wrapped call whether a tick has cut it short.
 *
 * Calls such as write(2) transfer a part of what they are asked for when a signal arrives, and
 * return how much (signal(7)). The handler notices this from the saved registers. It counts only if
 * no other signal is pending, because the call would have been cut without us then
 * (doc/decisions/0010).
 */

/* Of the calling thread. The functions below are inline because each read and write of the target's
 * calls them. */
struct cps_transfer_cut_state {
	uintptr_t frame; /* of the innermost wrapper; 0: there is none */
	uint64_t number; /* of the last wrapped call; 0: there was none */
	bool is_cut;
};

extern __thread struct cps_transfer_cut_state cps_transfer_cut_state;

/* [signal] */
void cps_transfer_cut_begin_numbers(void);

/* [signal] To be called before a wrapped call is made, each time: gives it a number, by which
 * cps_transfer_cut_was_returned_to knows it. */
static inline void cps_transfer_cut_number(void)
{
	if (__builtin_expect(!cps_transfer_cut_state.number, 0))
		cps_transfer_cut_begin_numbers();
	cps_regs_set_number(++cps_transfer_cut_state.number);
}

/* [signal] To be called by a function, whose frame is `frame`, before it makes a call that a tick may
 * cut short. Returns the frame that was set before, for cps_transfer_cut_end. */
static inline uintptr_t cps_transfer_cut_begin(uintptr_t frame)
{
	uintptr_t before = cps_transfer_cut_state.frame;

	cps_transfer_cut_state.frame = frame;
	cps_transfer_cut_state.is_cut = false;
	cps_transfer_cut_number();
	return before;
}

/* [signal] To be called after that call: whether a tick has met its end. */
static inline bool cps_transfer_cut_end(uintptr_t before)
{
	bool was_cut = cps_transfer_cut_state.is_cut;

	cps_transfer_cut_state.frame = before;
	cps_transfer_cut_state.is_cut = false;
	return was_cut;
}

#endif
