/* SPDX-License-Identifier: MIT */
/*
 * reading.h - finds out what a thread's meter says at a tick, mostly without a system call.
 *
 * The members `period` to `reckoned` of struct cps_thread are its state. Only the thread itself
 * calls it, in its handler.
 */
#ifndef CPS_READING_H
#define CPS_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

#define CPS_READING_AWAITED 7u /* ticks of an event */

/* [signal] From now on ticks come at this distance, in gticks. Earlier ticks are forgotten. */
static inline void cps_reading_begin(struct cps_thread *t, uint64_t period)
{
	t->period = period;
	t->reading = t->settled = t->began = 0;
	t->n_awaited = 0;
}

/* [signal] The event of this period begins now, when the meter has this reading: the delays of some
 * of its ticks tell how long the kernel takes for a tick (own_time.h). The first one would tell too
 * much, since making an event leaves cold caches. */
static inline void cps_reading_await(struct cps_thread *t, uint64_t now)
{
	t->awaited = now + 2 * t->period;
	t->n_awaited = CPS_READING_AWAITED;
}

/*
 * [signal] The meter's reading at a tick that began at `begin`; 0 if there is no meter.
 *
 * Ticks come at equal distances of the thread's CPU time. So a tick that also comes in time by the
 * wall clock is one period after the previous one, and its reading is reckoned. Up to 15 ticks in a
 * row are reckoned as long as this agrees with the meter, which is asked now and then. Since only
 * differences from earlier readings are credited, that corrects what was reckoned. The meter is
 * asked at all other ticks, which are all ticks if the period is not known (t->period is 0).
 */
uint64_t cps_reading_at(struct cps_thread *t, uint64_t (*read)(void), uint64_t begin);

/*
 * [signal] Whether a tick is left over. Ticks of a clock that does not wait for the handler pile up
 * while the handler runs or the signal is blocked, and then come all at once. The first of them
 * stands for the whole time. The others would be samples of the same place that weigh nothing; if
 * the handler is slower than the clock they would leave the program no time at all. A tick is left
 * over if the thread has used too little time since the previous one was handled.
 */
bool cps_reading_is_left_over(const struct cps_thread *t, uint64_t reading);

/* [signal] Take the kernel's time for this tick out of what the thread will be credited with. A
 * tick that is awaited also tells how long the kernel takes, if it is `is_prompt`: a tick within a
 * system call is brought when the call ends, and until then the time is the target's. Returns that
 * time. */
uint64_t cps_reading_charge_tick(struct cps_thread *t, uint64_t reading, bool is_prompt);

/*
 * [signal] Take the time of the handler, at whose begin it was `begin` and the meter had `reading`,
 * out of what the thread will be credited with. Asking the meter again would be another system
 * call. The time that the handler took by the wall clock is the same, unless the handler was
 * interrupted for long. Returns that time.
 */
uint64_t cps_reading_charge_handler(struct cps_thread *t, uint64_t (*read)(void), uint64_t reading,
				    uint64_t begin, bool is_left_over);

#endif
