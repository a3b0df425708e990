/* SPDX-License-Identifier: MIT */
/*
 * pace.c - lets the journal's file rest for fifty times as long as slow stores to it have taken.
 *
 * In: when stores begin and end. Out: whether the file rests.
 */
#include <stdatomic.h>

#include "base/moment.h"
#include "stream/pace.h"
#include "base/poison.h"

#define SLOW_NS 1000000u
#define REST	50u
/* A store is also slow if another process gets the processor meanwhile. So what counts is that eight
 * of the last some thousands were slow. */
#define SLOW_WEIGHT 1000u
#define SLOW_ENOUGH (8 * SLOW_WEIGHT)

static bool is_timed;
static _Atomic uint32_t slowness;
static _Atomic uint64_t rest_until; /* 0: it does not rest */

void cps_pace_reset(bool copies_on_write)
{
	is_timed = copies_on_write;
	atomic_store(&slowness, 0);
	atomic_store(&rest_until, 0);
}

bool cps_pace_rests(void)
{
	uint64_t until = atomic_load_explicit(&rest_until, memory_order_relaxed);

	return until && cps_moment_ns() < until;
}

uint64_t cps_pace_begin(void)
{
	return is_timed ? cps_moment_ns() : 0;
}

/* Whether stores are slow now. */
static bool note(bool was_slow)
{
	uint32_t now = atomic_load_explicit(&slowness, memory_order_relaxed);

	if (!was_slow)
		now -= now > 0;
	else if (now < 2 * SLOW_ENOUGH)
		now += SLOW_WEIGHT;
	atomic_store_explicit(&slowness, now, memory_order_relaxed);
	return was_slow && now >= SLOW_ENOUGH;
}

uint32_t cps_pace_end(uint64_t begin)
{
	uint64_t now, rest;

	if (!begin)
		return 0;
	now = cps_moment_ns();
	rest = note(now > begin + SLOW_NS) ? REST * (now - begin) : 0;
	atomic_store_explicit(&rest_until, rest ? now + rest : 0, memory_order_relaxed);
	return (uint32_t)(rest / 1000000);
}
