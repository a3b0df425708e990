/* SPDX-License-Identifier: MIT */
/*
 * sample.h - turns ticks into samples: the signal handler, and what it needs from a clock.
 */
#ifndef CPS_SAMPLE_H
#define CPS_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/*
 * What the handler needs from a clock. A sample weighs what the meter of the resource has advanced
 * since the thread's previous sample, never the nominal interval. (Hall & Goldberg, 5.1, credit
 * several hits to a late sample; this is the same in gticks.) Only a tick that comes in time stands
 * for its period (reading.h, doc/decisions/0015).
 */
struct cps_meter {
	int signal; /* the signal of ticks: CPS_SIGNAL_OWN or SIGPROF */
	/* [signal] Whether this signal is a tick. */
	bool (*is_mine)(const siginfo_t *info);
	/* [signal] What the calling thread has used so far, in gticks. NULL: every tick weighs
	 * 1. */
	uint64_t (*read)(void);
	/* [signal] The same for any live thread. NULL if `read` is. */
	uint64_t (*read_of)(const struct cps_thread *t);
	/* [signal] Arm the next tick of a thread, after the tick of `info`; or whatever has become
	 * of its last one, if `info` is NULL. May be NULL itself. */
	void (*rearm)(struct cps_thread *t, const siginfo_t *info);
	bool adopts;	/* ticks may come to threads that were never armed */
	uint32_t scale; /* gticks per unit of weight in the stream */
};

/* [signal] Set the meter, which must stay valid. The gate (gate.h) is not changed. When the time
 * that was set for recording has passed, the handler calls `over` with its context. */
void cps_sample_use(const struct cps_meter *meter, void (*over)(const void *context));

/* The value that the timer of that time sends with CPS_SIGNAL_OWN. */
#define CPS_SAMPLE_DEADLINE UINT64_C(0xc95a3b7d00000000)

/* [signal] The handler, for cps_disposition_take. */
void cps_sample_handler(int number, siginfo_t *info, void *context);

/* [signal] To be called when the thread or the process ends: credit what the calling thread has
 * used since its last sample to where it is now. In a signal handler it is credited to what was
 * interrupted, which is `context`; elsewhere `context` is NULL. */
void cps_sample_tail(struct cps_thread *t, const void *context);
/* [signal] To be called before the tail of a thread that ends: decides whether it is time to begin
 * the recording, if there is none yet. A program of many short threads may use seconds before a
 * tick meets it. What they have used until then is credited with this tail. */
void cps_sample_before_tail(struct cps_thread *t);

/* [signal] The same as the tail for another thread, whose stack cannot be seen. What it has used is
 * credited to its start. */
void cps_sample_tail_of(struct cps_thread *t);

/* [signal] Credit nothing of what all threads have used until now, except `except` (NULL: no
 * exception). */
void cps_sample_skip(const struct cps_thread *except);

/* [signal] Forget what was used without a recording, for a child, which begins anew. */
void cps_sample_reset(void);

/* [signal] Arm the next tick of all threads, because it may have been lost. */
void cps_sample_rearm(void);

/*
 * [signal] How often a system call of the calling thread was interrupted by a signal of ours and by
 * no other. If the number has changed during a call that failed with EINTR, we have caused the
 * failure (signal(7) lists the calls that the kernel never restarts; doc/decisions/0010).
 */
uint32_t cps_sample_interruptions(void);

#define CPS_SAMPLE_MARK SIGTRAP

/*
 * [signal] To be called by a function, whose frame is `frame`, before it makes a call that changes
 * the mask while it waits, with CPS_SAMPLE_MARK added to that mask; and with 0 after the call.
 * Returns the value that was set before.
 *
 * The mark tells the handler whether it has interrupted that call: the mask with the mark is in
 * force then. It is not in force any more when a handler of the target's has run, although a tick
 * that comes while that handler returns looks the same otherwise. SIGTRAP is used as the mark
 * because no program waits for it: the kernel sends it to running code.
 */
uintptr_t cps_sample_in_masked_call(uintptr_t frame);

/* [signal] The same number as cps_sample_interruptions, for a call that begins in a function with
 * this frame. A masked call that was left by longjmp is noticed, because its frame is not well
 * above this one. */
uint32_t cps_sample_begin_call(uintptr_t frame);

/* [signal] To be called at the end of each handler of ours: counts such an interruption. */
void cps_sample_note_interruption(const void *context);

#endif
