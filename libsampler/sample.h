/* SPDX-License-Identifier: MIT */
/*
 * sample.h - a tick becomes a sample: the signal handler, and what it needs from the clock.
 */
#ifndef CPS_SAMPLE_H
#define CPS_SAMPLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/*
 * The side of a clock that the handler sees. Weights are what the resource's meter has really
 * gone on since the thread's previous sample (Hall & Goldberg, 5.1, credit several hits to a late
 * sample; this is the same in gticks), never the nominal interval.
 */
struct cps_meter {
	/* [signal] Is this signal a tick of ours? */
	bool (*is_mine)(const siginfo_t *info);
	/* [signal] Consumption of the calling thread so far, in gticks; NULL: every tick weighs
	 * 1. */
	uint64_t (*read)(void);
	/* [signal] The same for any live thread; NULL likewise. */
	uint64_t (*read_of)(const struct cps_thread *t);
	/* [signal] Arm the next tick of the calling thread; may be NULL. */
	void (*rearm)(struct cps_thread *t);
	bool adopts;	/* a tick may come to a thread that was never armed */
	uint32_t scale; /* gticks per unit of weight in the stream */
};

/* [signal] The start: from now on ticks are taken, in this process and none of its children. False: the
 * kernel cannot promise that. */
bool cps_sample_start(const struct cps_meter *meter);
/* [signal] From now on they are not. */
void cps_sample_stop(void);
/* [signal] */
bool cps_sample_is_on(void);

/* [signal] What the target has asked for as SIGPROF's disposition: that is what it is told, and
 * what becomes of a SIGPROF that is not a tick. */
void cps_sample_set_disposition(const struct sigaction *action);
/* [signal] */
void cps_sample_get_disposition(struct sigaction *action);

/* [signal] The handler, for sigaction with SA_SIGINFO. */
void cps_sample_handler(int number, siginfo_t *info, void *context);

/* [signal] The thread ends, or the process: credit what the calling thread has consumed since its
 * last sample to where it is now. */
void cps_sample_tail(struct cps_thread *t);
/* [signal] The same for another thread, whose stack cannot be seen: credited to its start. */
void cps_sample_tail_of(struct cps_thread *t);

#endif
