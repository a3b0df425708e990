/* SPDX-License-Identifier: MIT */
/*
 * resource_real.c - the time of all threads, whether they run or not.
 *
 * In: nothing. Out: the line of the table; off_cpu.h has the rest.
 */
#include "resource/off_cpu.h"
#include "resource/resource.h"
#include "base/poison.h"

static const char *const states[] = {"stalled", "io", "lock", "wait", NULL};

_Static_assert(sizeof(states) / sizeof(states[0]) == CPS_OFF_CPU_STATES + 1, "off_cpu.h has them");

static int start(uint64_t interval)
{
	(void)interval;
	return cps_off_cpu_start(CPS_RESOURCE_OF_real);
}

const struct cps_resource cps_resource_real = {
	.name = "real",
	.unit = "ns",
	.engine = "calls",
	.about = "time of threads, also waiting",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = states,
	.joins_clock = true,
	.probe = cps_resource_probe_clock,
	.start = start,
	.stop = cps_off_cpu_stop,
	.arm = cps_off_cpu_arm,
	.disarm = cps_off_cpu_disarm,
	.take_counted = cps_off_cpu_take_counted,
	.credit_rest = cps_off_cpu_credit_rest,
	.is_worth = cps_off_cpu_is_worth,
};
