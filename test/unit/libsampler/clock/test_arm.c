/* SPDX-License-Identifier: MIT */
/*
 * test_arm.c - a thread that comes when the gate is closed already, and the clock stopped, keeps no timer: its signal may have been
 * given back, and would end the process.
 *
 * Seen to fail: without the look at the gate in cps_clock_arm both timers stayed.
 */
#include <criterion/criterion.h>

#include "libsampler/base/memory.h"
#include "libsampler/base/sys.h"
#include "libsampler/clock/clock.h"
#include "libsampler/signal/gate.h"

static void check(const struct cps_clock *clock)
{
	static struct cps_thread t;
	const struct cps_clock_settings settings = {.interval_ns = UINT64_C(100000000000)};

	t.tid = cps_sys_gettid();
	cr_assert(cps_gate_open());
	cr_assert_eq(cps_clock_start(clock, &settings), 0);
	cr_assert_eq(cps_clock_arm(clock, &t), 0);
	cr_assert(t.has_timer, "%s: not armed", clock->name);
	cps_clock_disarm(clock, &t);
	cps_gate_close();
	cr_assert_eq(cps_clock_arm(clock, &t), 0);
	cr_assert_not(t.has_timer, "%s: a timer stayed", clock->name);
	cr_assert_not(t.has_shot, "%s: a shot stayed", clock->name);
}

Test(arm, no_timer_stays_behind_a_closed_gate)
{
	check(&cps_clock_timer);
	check(&cps_clock_strata);
}
