/* SPDX-License-Identifier: MIT */
/*
 * clock_signals.c - counts each SIGPROF that the target gets, whoever sends it.
 *
 * In: SIGPROF. Out: a tick that weighs 1. There is nothing to arm, since the target or another
 * process sends the signals.
 */
#include <signal.h>

#include "clock/clock.h"
#include "base/poison.h"

static bool is_mine(const siginfo_t *info)
{
	(void)info;
	return true;
}

static const struct cps_meter meter = {
	.signal = SIGPROF,
	.is_mine = is_mine,
	.adopts = true,
	.scale = 1,
};

const struct cps_clock cps_clock_signals = {
	.name = "signals",
	.resource = "signals",
	.unit = "signals",
	.is_external = true,
	.ticks_in_calls = true,
	.meter = &meter,
};
