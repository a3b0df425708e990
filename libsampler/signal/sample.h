/* SPDX-License-Identifier: MIT */
/*
 * sample.h - a tick becomes a sample: the signal handler, and what it needs from the clock.
 */
#ifndef CPS_SAMPLE_H
#define CPS_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/*
 * The side of a clock that the handler sees. Weights are what the resource's meter has really
 * gone on since the thread's previous sample (Hall & Goldberg, 5.1, credit several hits to a late
 * sample; this is the same in gticks), never the nominal interval: only a tick that is seen to be in
 * time stands for its period (reading.c).
 */
struct cps_meter {
	int signal; /* that a tick comes by: CPS_SIGNAL_OWN or SIGPROF */
	/* [signal] Is this signal a tick of ours? */
	bool (*is_mine)(const siginfo_t *info);
	/* [signal] Consumption of the calling thread so far, in gticks; NULL: every tick weighs
	 * 1. */
	uint64_t (*read)(void);
	/* [signal] The same for any live thread; NULL likewise. */
	uint64_t (*read_of)(const struct cps_thread *t);
	/* [signal] Arm the next tick of a thread, after the one that `info` has announced, or
	 * whatever became of it: NULL. May be NULL itself. */
	void (*rearm)(struct cps_thread *t, const siginfo_t *info);
	bool adopts;	/* a tick may come to a thread that was never armed */
	uint32_t scale; /* gticks per unit of weight in the stream */
};

/* [signal] From now on ticks are this meter's; it stays. The gate (gate.h) is not touched.
 * `over` is called in the handler, with the context that it was given, when the time that was
 * set for recording has passed. */
void cps_sample_use(const struct cps_meter *meter, void (*over)(const void *context));

/* The value of a timer that sends CPS_SIGNAL_OWN at that time. */
#define CPS_SAMPLE_DEADLINE UINT64_C(0xc95a3b7d00000000)

/* [signal] The handler, for cps_disposition_take. */
void cps_sample_handler(int number, siginfo_t *info, void *context);

/* [signal] The thread ends, or the process: credit what the calling thread has consumed since
 * its last sample to where it is now, or if this is a signal handler to where it was: `context`,
 * else NULL. */
void cps_sample_tail(struct cps_thread *t, const void *context);
/* [signal] Before the tail of a thread that ends, and of none other: if there is no recording
 * yet, is it time for one? A program of many short threads may use seconds before a tick finds
 * it. What they used until then goes with this tail. */
void cps_sample_before_tail(struct cps_thread *t);

/* [signal] The same for another thread, whose stack cannot be seen: credited to its start. */
void cps_sample_tail_of(struct cps_thread *t);

/* [signal] What threads have consumed until now is not to be credited to anything: all but `except`
 * (NULL: none). */
void cps_sample_skip(const struct cps_thread *except);

/* [signal] Forget what was used without a recording: a child begins anew. */
void cps_sample_reset(void);

/* [signal] All threads: their next tick, which may have got lost. */
void cps_sample_rearm(void);

/*
 * [signal] How often a system call of the calling thread was interrupted by a signal of ours and by
 * no other: if the number has changed during a call that failed with EINTR, the failure is our
 * doing (signal(7) lists the calls that are never restarted by the kernel).
 */
uint32_t cps_sample_interruptions(void);

#define CPS_SAMPLE_MARK SIGTRAP

/*
 * [signal] A call that changes the mask while it waits has been begun by the function with this
 * frame, with CPS_SAMPLE_MARK in the mask; 0: it is over. Returns what was there before. The mask
 * is in force when our handler interrupts the call, and no more when the target's has: a tick that
 * comes while the latter returns looks the same otherwise. No program waits for SIGTRAP, which the
 * kernel sends to what runs.
 */
uintptr_t cps_sample_in_masked_call(uintptr_t frame);

/* [signal] The same number, for a call that begins in a function with this frame: a masked call
 * whose frame is not well above it was left by longjmp. */
uint32_t cps_sample_begin_call(uintptr_t frame);

/* [signal] At the end of a handler of ours: count such an interruption. */
void cps_sample_note_interruption(const void *context);

#endif
