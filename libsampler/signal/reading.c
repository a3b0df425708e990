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
#include "stream/own_time.h"
#include "base/poison.h"

#define RECKONED    15	     /* the most ticks in a row; 2^n - 1 */
#define PERIOD_MOST 10000000 /* ns; so few ticks are not worth it */
#define SURELY_RAN  20000    /* ns; in a longer time another program may have run */

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
	if (is_in_time && !t->n_awaited &&
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

/* Learns from a tick by how much it is late. After a long handler one or more ticks are missing;
 * that does not shift the ticks that follow. */
static void learn_delay(struct cps_thread *t, uint64_t reading, bool is_prompt)
{
	int64_t delay = (int64_t)(reading - t->awaited), period = (int64_t)t->period;

	if (delay <= -period / 2) /* it was not this tick that was awaited */
		return;
	if (delay >= period) {
		t->awaited += (uint64_t)(delay / period) * t->period;
	} else if (is_prompt) {
		cps_own_time_learn(delay);
		t->n_awaited--;
	}
	t->awaited += t->period;
}

uint64_t cps_reading_charge_tick(struct cps_thread *t, uint64_t reading, bool is_prompt)
{
	int64_t due = (int64_t)(reading - t->consumed);
	uint64_t ns;

	if (!t->period) /* it is not known when the tick was due */
		return 0;
	if (t->n_awaited)
		learn_delay(t, reading, is_prompt);
	if (due <= 0)
		return 0;
	ns = cps_own_time_add_tick((uint64_t)due);
	t->consumed += ns;
	return ns;
}

uint64_t cps_reading_charge_handler(struct cps_thread *t, uint64_t (*read)(void), uint64_t reading,
				    uint64_t begin, bool is_left_over)
{
	uint64_t elapsed = cps_moment_ns() - begin, own = elapsed;

	if (elapsed > SURELY_RAN) {
		own = read() - reading;
		own = own < elapsed ? own : (int64_t)own < 0 ? 0 : elapsed;
	}
	t->consumed += own;
	cps_own_time_add(own);
	if (!is_left_over)
		t->settled = reading + own;
	return own;
}
