/* SPDX-License-Identifier: MIT */
/*
 * test_budget.c - what recording may take of a thread's CPU time, in a thread that only counts.
 *
 * Seen to fail: with an interval that stays, with one that is not halved again, without the limit of
 * frames, and if a tick that is over gives a sample.
 */
#include <criterion/criterion.h>

#include "libsampler/signal/gate.h"
#include "libsampler/format.h"
#include "libsampler/unwind/unwind.h"

#define INTERVAL UINT64_C(100000) /* ns */
#define GRACE	 UINT64_C(200000)

/* What a thread has used, and what recording took of that. */
struct run {
	struct cps_thread thread;
	uint64_t reading, used, took;
};

/* So many ticks, each of which takes `cost` if it gives a sample, and a hundredth of it if not. */
static void tick(struct run *r, unsigned n, uint64_t cost)
{
	for (; n; n--) {
		uint64_t used = cps_budget_interval(&r->thread, INTERVAL);
		uint64_t took = cps_budget_is_over(&r->thread) ? cost / 100 : cost;

		r->reading += used;
		r->used += used;
		r->took += took;
		cps_budget_settle(&r->thread, r->reading, took);
	}
}

Test(budget, no_limit_changes_nothing)
{
	struct run r = {.reading = 1};

	cps_budget_set(0);
	tick(&r, 1000, 10 * INTERVAL);
	cr_assert_not(cps_budget_is_over(&r.thread));
	cr_assert_eq(cps_budget_interval(&r.thread, INTERVAL), INTERVAL);
}

Test(budget, the_share_is_kept)
{
	static const uint32_t shares[] = {100, 1000, 10000, 50000, 200000};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		for (uint64_t cost = 100; cost <= 4 * INTERVAL; cost *= 3) {
			struct run r = {.reading = 1};
			uint64_t allowed;

			cps_budget_set(shares[i]);
			tick(&r, 20000, cost);
			allowed = r.used / 1000 * shares[i] / 1000;
			cr_assert_leq(r.took, allowed + GRACE + cost + 20000 * (cost / 100),
				      "a share of %u, %lu a tick: took %lu of %lu", shares[i], cost,
				      r.took, r.used);
		}
}

Test(budget, the_interval_is_as_long_as_need_be)
{
	struct run r = {.reading = 1};
	uint64_t interval;

	cps_budget_set(10000); /* 1 %: 5 us a tick are allowed every 500 us */
	tick(&r, 5000, 5000);
	interval = cps_budget_interval(&r.thread, INTERVAL);
	cr_assert_geq(interval, 5 * INTERVAL);
	cr_assert_leq(interval, 20 * INTERVAL, "%lu", interval);
	tick(&r, 5000, 10); /* ticks have become cheap */
	cr_assert_eq(cps_budget_interval(&r.thread, INTERVAL), INTERVAL);
}

Test(budget, one_tick_may_not_take_it_all)
{
	struct run r = {.reading = 1};

	cps_budget_set(10000);
	tick(&r, 1, 0);
	tick(&r, 1, 3 * GRACE);
	cr_assert(cps_budget_is_over(&r.thread));
	tick(&r, 1000, 0);
	cr_assert_not(cps_budget_is_over(&r.thread));
}

Test(budget, stacks_become_shorter_and_whole_again)
{
	struct run r = {.reading = 1};
	uint32_t before = CPS_DEPTH_MAX;

	cps_budget_set(0);
	for (int i = 0; i < 5000; i++) {
		tick(&r, 1, INTERVAL / 2);
		if (!r.thread.stack_room)
			continue;
		cr_assert_leq(r.thread.stack_room, before);
		before = r.thread.stack_room;
	}
	cr_assert_eq(before, CPS_UNWIND_LEAST);
	tick(&r, 50000, 0);
	cr_assert_eq(r.thread.stack_room, CPS_DEPTH_MAX);
}

Test(budget, a_walk_ends_when_nothing_is_to_spare)
{
	struct run r = {.reading = 1};
	uint64_t first;

	cps_budget_begin(&r.thread, 1000);
	first = r.thread.walk_until;
	cr_assert_gt(first, 1000);
	tick(&r, 100, INTERVAL / 2);
	cps_budget_begin(&r.thread, 1000);
	cr_assert_lt(r.thread.walk_until, first);
	tick(&r, 100000, INTERVAL / 2);
	cps_budget_begin(&r.thread, 1000);
	cr_assert_eq(r.thread.walk_until, 1001);
}
