/* SPDX-License-Identifier: MIT */
/*
 * tick_riders.h - resources that are credited where the clock's ticks meet a thread.
 */
#ifndef CPS_TICK_RIDERS_H
#define CPS_TICK_RIDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "stream/recording.h"
#include "stream/thread.h"

/* A resource that counts beside the clock's (resource/off_cpu.h, lock.h, switches.h). All functions may be called in the
 * handler. */
struct cps_tick_riders {
	/* [signal] At a tick of the calling thread that is a sample, with the meter's reading: whether something
	 * is to be credited to the same stack, too. It is asked again as long as there is. */
	bool (*at_tick)(struct cps_thread *t, const ucontext_t *context, uint64_t now,
			uint64_t reading, struct cps_credit *credit);
	/* [signal] That could not be recorded: it is due with a later sample of the thread. */
	void (*keep)(struct cps_thread *t, const struct cps_credit *credit);
	/* [signal] What the thread has used until now does not count. The reading is 0 if there is none. */
	void (*skip)(struct cps_thread *t, uint64_t reading);
};

/* [signal] Add it, which must stay valid; and take it away. There may be four. */
void cps_tick_riders_add(const struct cps_tick_riders *rider);
/* [signal] */
void cps_tick_riders_remove(const struct cps_tick_riders *rider);

/* [signal] A tick of the calling thread, which is busy, was a sample. */
void cps_tick_riders_take(struct cps_thread *t, const ucontext_t *context, uint64_t now,
			  uint64_t reading);

/* [signal] What a thread, which may be any, has used until this reading does not count. */
void cps_tick_riders_skip(struct cps_thread *t, uint64_t reading);

#endif
