/* SPDX-License-Identifier: MIT */
/*
 * tick_riders.c - credits other resources than the clock's where a tick has met a thread.
 *
 * In: ticks that are samples. Out: further samples of the same stack. What cannot be recorded, such
 * as while another thread creates the recording, is left for a later one.
 *
 * Order: what a rider needs is there before its address is exchanged, and used by who has
 * acquired that.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "signal/sample.h"
#include "signal/tick_riders.h"
#include "base/poison.h"

#define CREDITS_MOST 4 /* of a rider at one tick */

static _Atomic(const struct cps_tick_riders *) riders[4];

#define N_RIDERS (sizeof(riders) / sizeof(riders[0]))

void cps_tick_riders_add(const struct cps_tick_riders *c)
{
	cps_tick_riders_remove(c);
	for (size_t i = 0; i < N_RIDERS; i++) {
		const struct cps_tick_riders *none = NULL;

		if (atomic_compare_exchange_strong(&riders[i], &none, c))
			return;
	}
}

void cps_tick_riders_remove(const struct cps_tick_riders *c)
{
	for (size_t i = 0; i < N_RIDERS; i++) {
		const struct cps_tick_riders *old = c;

		atomic_compare_exchange_strong(&riders[i], &old, NULL);
	}
}

/* What could not be recorded is not asked for again at once. */
static void take(const struct cps_tick_riders *c, struct cps_thread *t, const ucontext_t *context,
		 uint64_t now, uint64_t reading)
{
	struct cps_credit credit = {0};

	for (int n = 0; n < CREDITS_MOST && c->at_tick(t, context, now, reading, &credit); n++) {
		if (cps_sample_credit(t, context, &credit))
			continue;
		c->keep(t, &credit);
		return;
	}
}

void cps_tick_riders_take(struct cps_thread *t, const ucontext_t *context, uint64_t now,
			  uint64_t reading)
{
	for (size_t i = 0; i < N_RIDERS; i++) {
		const struct cps_tick_riders *c =
			atomic_load_explicit(&riders[i], memory_order_acquire);

		if (c)
			take(c, t, context, now, reading);
	}
}

void cps_tick_riders_skip(struct cps_thread *t, uint64_t reading)
{
	for (size_t i = 0; i < N_RIDERS; i++) {
		const struct cps_tick_riders *c = atomic_load(&riders[i]);

		if (c)
			c->skip(t, reading);
	}
}
