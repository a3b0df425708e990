/* SPDX-License-Identifier: MIT */
/*
 * budget.c - limits what recording takes of a thread's CPU time.
 *
 * In: what each tick took, and what the thread used since the one before. Out: how deep stacks are
 * followed, and how far apart ticks are (doc/decisions/0049).
 */
#include <stdatomic.h>
#include <stddef.h>

#include "format.h"
#include "signal/budget.h"
#include "unwind/unwind.h"
#include "base/poison.h"

#define STACKS_PART 16u	     /* stacks may take this part of a thread's time ... */
#define SPARE_MOST  50000000 /* ns; ... and as much more at once, such as at its beginning */

#define MILLION	     UINT64_C(1000000)
#define THINNER_MOST 12u    /* the longest interval is 4,096 times the one that was set */
#define TICKS	     8u	    /* so many ticks tell what a tick takes */
#define GRACE_NS     200000 /* recording may take this much beyond its share */

static _Atomic uint32_t share; /* in millionths; 0: no limit */

void cps_budget_set(uint32_t millionths)
{
	atomic_store(&share, millionths);
}

/* A thread begins with all it may have to spare: spare_ns is what it has used of that. */
void cps_budget_begin(struct cps_thread *t, uint64_t now)
{
	t->walk_until = now + (uint64_t)(t->spare_ns < SPARE_MOST ? SPARE_MOST - t->spare_ns : 1);
}

bool cps_budget_is_over(const struct cps_thread *t)
{
	return t->over_ns > GRACE_NS && atomic_load_explicit(&share, memory_order_relaxed);
}

/* Keeps half as many frames when all is used up, and twice as many when all is there again. */
static void settle_stacks(struct cps_thread *t, uint64_t used_ns, uint64_t took_ns)
{
	uint32_t room = t->stack_room ? t->stack_room : CPS_DEPTH_MAX;

	t->spare_ns += (int64_t)took_ns - (int64_t)(used_ns / STACKS_PART);
	if (t->spare_ns <= 0) {
		t->spare_ns = 0;
		t->stack_room = room < CPS_DEPTH_MAX ? 2 * room : CPS_DEPTH_MAX;
	} else if (t->spare_ns > SPARE_MOST) {
		t->spare_ns = SPARE_MOST;
		t->stack_room = room > CPS_UNWIND_LEAST ? room / 2 : CPS_UNWIND_LEAST;
	}
}

/* Doubles or halves the interval by what the last ticks took. A few of them are not to be trusted
 * further than four times: the first one makes the recording. */
static void settle_interval(struct cps_thread *t, uint64_t millionths)
{
	uint64_t allowed = t->used_ns * millionths / MILLION;

	if (t->took_ns < allowed * 2 / 5 && t->thinner)
		t->thinner--;
	for (int i = 0; i < 4 && t->took_ns > allowed && t->thinner < THINNER_MOST; i++) {
		t->thinner++;
		allowed *= 2;
	}
	t->n_settled = 0;
	t->took_ns = t->used_ns = 0;
}

static void settle_share(struct cps_thread *t, uint64_t used_ns, uint64_t took_ns,
			 uint64_t millionths)
{
	t->over_ns += (int64_t)took_ns - (int64_t)(used_ns * millionths / MILLION);
	if (t->over_ns < -GRACE_NS)
		t->over_ns = -GRACE_NS;
	t->took_ns += took_ns;
	t->used_ns += used_ns;
	if (++t->n_settled == TICKS)
		settle_interval(t, millionths);
}

void cps_budget_settle(struct cps_thread *t, uint64_t reading, uint64_t took_ns)
{
	uint64_t used_ns = t->last_reading ? reading - t->last_reading : 0;
	uint32_t millionths = atomic_load_explicit(&share, memory_order_relaxed);

	if ((int64_t)used_ns < 0)
		used_ns = 0;
	t->last_reading = reading;
	settle_stacks(t, used_ns, took_ns);
	if (millionths)
		settle_share(t, used_ns, took_ns, millionths);
}
