/* SPDX-License-Identifier: MIT */
/*
 * clock_none.c - the clock of a recording that none of its resources needs one for.
 *
 * In: nothing. Out: no tick.
 */
#include "clock/clock.h"
#include "signal/disposition.h"
#include "base/poison.h"

static bool is_mine(const siginfo_t *info)
{
	(void)info;
	return false;
}

static uint64_t read_nothing(void)
{
	return 0;
}

static uint64_t read_nothing_of(const struct cps_thread *t)
{
	(void)t;
	return 0;
}

/* Nothing is used, so that a thread's end is no sample. */
static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = read_nothing,
	.read_of = read_nothing_of,
	.scale = 1,
};

const struct cps_clock cps_clock_none = {
	.name = "none",
	.resource = "",
	.unit = "",
	.is_external = true,
	.meter = &meter,
};
