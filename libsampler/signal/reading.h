/* SPDX-License-Identifier: MIT */
/*
 * reading.h - what a thread's meter says at a tick, without a system call for most of them.
 *
 * Of struct cps_thread it keeps `period` to `reckoned`. Only the thread itself asks, in its handler.
 */
#ifndef CPS_READING_H
#define CPS_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/* [signal] Ticks come at this distance, in gticks, from now on: of those before, nothing is known. */
static inline void cps_reading_begin(struct cps_thread *t, uint64_t period)
{
	t->period = period;
	t->reading = t->settled = t->began = 0;
}

/*
 * [signal] What the meter says (0: there is none) at a tick that began at that moment. Ticks come at
 * equal distances of the thread's time, so that one that also comes in time by the clock on the wall
 * is a period after the one before. What the meter says now and then corrects it: all that is
 * credited is a difference from what was said before. As long as they agree, up to 15 ticks in a row
 * are reckoned; any other, and one of a clock whose period is not known (t->period is 0), is asked
 * for.
 */
uint64_t cps_reading_at(struct cps_thread *t, uint64_t (*read)(void), uint64_t begin);

/*
 * [signal] Ticks of a clock that does not wait for us pile up while we are at work, or the signal is
 * blocked, and then come all at once. The first stands for the whole time; the others would be
 * samples of one place that weigh nothing, or if we are slower than the clock, leave the program no
 * time at all. What the thread has used since we were done with the last one tells them from those
 * that are in time.
 */
bool cps_reading_is_left_over(const struct cps_thread *t, uint64_t reading);

/* [signal] What the meter says when a tick has been dealt with that began with `reading`, at `begin`.
 * Asking it again would be another system call; unless we were kept from working, our time is what it
 * has gone on by. */
uint64_t cps_reading_after(const struct cps_thread *t, uint64_t (*read)(void), uint64_t reading,
			   uint64_t begin);

#endif
