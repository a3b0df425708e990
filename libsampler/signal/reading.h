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

/* [signal] From now on ticks come at this distance, in gticks. Earlier ticks are forgotten. */
static inline void cps_reading_begin(struct cps_thread *t, uint64_t period)
{
	t->period = period;
	t->reading = t->settled = t->began = 0;
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

/* [signal] The meter's reading after a tick has been handled that began at `begin` with `reading`.
 * Asking the meter would be another system call. The time that the handler took by the wall clock
 * is the same, unless the handler was interrupted for long. */
uint64_t cps_reading_after(const struct cps_thread *t, uint64_t (*read)(void), uint64_t reading,
			   uint64_t begin);

#endif
