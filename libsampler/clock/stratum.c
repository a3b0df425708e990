/* SPDX-License-Identifier: MIT */
/*
 * stratum.c - promises a thread's time to shots, and draws their instants.
 *
 * In: what the thread has used and was credited with. Out: the next stratum. What is promised depends on
 * what has been, and not on where the shots come, so that shares stay true.
 */
#include "clock/stratum.h"

#include "base/moment.h"
#include "clock/clock.h"
#include "clock/posix_timer.h"
#include "signal/sample.h"
#include "base/poison.h"

#define SLACK 8u /* intervals that a thread may be credited too much or too little by chance */
#define DEBT                                                                                       \
	2u /* intervals that are owed when a thread begins, from which on its first stratum ... */
#define SHOTS 4u /* ... has so many times as many shots */

uint64_t cps_stratum_draw(struct cps_thread *t, uint64_t begin, uint64_t part)
{
	return begin + cps_clock_vary(t, part / 2, part / 2);
}

/* A short thread that none of the shots has met hands on what it has used to the next one, and with a single
 * shot in a stratum several such threads may follow each other. */
void cps_stratum_begin(struct cps_thread *t, uint64_t reading, uint64_t begin, uint64_t length,
		       uint64_t interval)
{
	struct cps_strata *s = &t->strata;

	s->left = (uint32_t)(length / interval);
	s->left = s->left ? s->left : 1;
	s->part = length / s->left;
	s->part_end = begin + s->part;
	s->promise = reading + length;
	s->shot_at = cps_stratum_draw(t, begin, s->part);
	t->slack = cps_stratum_later(length, SLACK * interval);
}

/* Half of what was credited too much or too little is made up for by the next shot that meets the thread.
 * With all of it the weights would vary more, with less of it more would be left at the end. */
void cps_stratum_begin_free(struct cps_thread *t, uint64_t reading, uint64_t shot_at,
			    uint64_t length)
{
	struct cps_strata *s = &t->strata;

	s->left = 1;
	s->part = length;
	s->shot_at = s->part_end = shot_at;
	s->promise = t->consumed + s->part + (uint64_t)((int64_t)(reading - t->consumed) / 2);
	t->slack = 2 * s->part;
}

void cps_stratum_divide(struct cps_thread *t, uint64_t now, uint64_t reading, uint64_t interval)
{
	struct cps_strata *s = &t->strata;

	if (cps_sample_due(t, reading) <= (int64_t)(DEBT * interval))
		return;
	s->left *= SHOTS;
	s->part /= SHOTS;
	s->part_end = now + s->part;
	s->shot_at = cps_stratum_draw(t, now, s->part);
}

void cps_stratum_set_shot(struct cps_thread *t, uint64_t at)
{
	if (atomic_load(&t->is_held))
		t->strata.held_at = at;
	else
		cps_posix_timer_set(t->shot, TIMER_ABSTIME, at, 0);
}

void cps_stratum_set_shot_after(struct cps_thread *t, uint64_t ns)
{
	cps_stratum_set_shot(t, ns ? cps_moment_ns() + ns : 0);
}

void cps_stratum_hold(struct cps_thread *t)
{
	struct cps_strata *s = &t->strata;
	uint64_t left;

	if (!t->has_shot)
		return;
	atomic_store(&t->is_held, true);
	left = cps_posix_timer_stop(t->shot);
	s->held_at = left ? cps_moment_ns() + left : s->left || s->woken_at ? s->shot_at : 0;
}

void cps_stratum_let_go(struct cps_thread *t)
{
	bool was_held = atomic_exchange(&t->is_held, false);

	if (was_held && t->has_shot && t->strata.held_at)
		cps_stratum_set_shot(t, t->strata.held_at);
}
