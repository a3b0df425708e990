/* SPDX-License-Identifier: MIT */
/*
 * reading.c - finds out what a thread's meter says at a tick, by asking it or by reckoning.
 *
 * In: a meter, the time. Out: a reading. The time is read in the vDSO, but the thread's CPU clock
 * takes a system call, which is a good part of what a tick costs (doc/decisions/0013).
 */
#include <stdatomic.h>

#include "base/moment.h"
#include "signal/reading.h"
#include "base/poison.h"

#define RECKONED    15	     /* the most ticks in a row; 2^n - 1 */
#define PERIOD_MOST 10000000 /* ns; so few ticks are not worth it */

static _Atomic uint32_t reckoned_most = 1;

/* Adjusts how many ticks in a row may be reckoned, for all threads. `drift` is the meter's reading
 * at a tick in time less the reckoned one. It is negative if ticks run ahead of the thread's clock,
 * which may leave out the time of interrupts and of a virtual machine's host. A machine does so for
 * a while. */
static void learn_from(int64_t drift, uint64_t period)
{
	uint32_t most = atomic_load_explicit(&reckoned_most, memory_order_relaxed);

	if (drift < -(int64_t)(period / 8))
		most /= 2;
	else if (most < RECKONED)
		most = 2 * most + 1;
	atomic_store_explicit(&reckoned_most, most, memory_order_relaxed);
}

uint64_t cps_reading_at(struct cps_thread *t, uint64_t (*read)(void), uint64_t begin)
{
	uint64_t period = t->period, since = begin - t->began, before = t->reading;
	bool is_in_time = t->began && since - (period - period / 4) < period / 2;

	if (!read)
		return 0;
	if (!period || period > PERIOD_MOST)
		return read();
	if (is_in_time &&
	    t->reckoned < atomic_load_explicit(&reckoned_most, memory_order_relaxed)) {
		t->reckoned++;
		t->reading = before + period;
	} else {
		t->reading = read();
		if (is_in_time) {
			int64_t drift = (int64_t)(t->reading - before - period);

			learn_from(drift, period);
			if (t->reckoned) /* `settled` was reckoned, too */
				t->settled += (uint64_t)drift;
		}
		t->reckoned = 0;
	}
	t->began = begin;
	return t->reading;
}

bool cps_reading_is_left_over(const struct cps_thread *t, uint64_t reading)
{
	return t->period && (int64_t)(reading - t->settled) < (int64_t)(t->period / 2);
}

uint64_t cps_reading_after(const struct cps_thread *t, uint64_t (*read)(void), uint64_t reading,
			   uint64_t begin)
{
	uint64_t elapsed = cps_moment_ns() - begin;

	return elapsed < t->period / 2 ? reading + elapsed : read();
}
