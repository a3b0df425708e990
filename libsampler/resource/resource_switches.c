/* SPDX-License-Identifier: MIT */
/*
 * resource_switches.c - how often threads are put off a processor, and on another one.
 *
 * In: nothing. Out: two lines of the table; switches.h has the rest.
 */

#include "base/error_text.h"
#include "resource/resource.h"
#include "resource/switch_records.h"
#include "resource/switches.h"
#include "base/poison.h"

static const char *const states[] = {"blocked", "preempted", NULL};

_Static_assert(sizeof(states) / sizeof(states[0]) == CPS_SWITCHES_STATES + 1,
	       "switches.h has them");

static int probe_switches(char *why, size_t bytes)
{
	char missing[160];

	if (cps_switch_records_probe(missing, sizeof(missing)) != 0)
		cps_error_text_join(why, bytes, "asked after waits and at ticks: ", missing, NULL);
	return 0;
}

const struct cps_resource cps_resource_switches = {
	.name = "switches",
	.unit = "switches",
	.engine = "calls",
	.about = "waits and preemptions of threads",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 10,
	.states = states,
	.probe = probe_switches,
	.start = cps_switches_start,
	.stop = cps_switches_stop,
	.pause = cps_switches_pause,
	.resume = cps_switches_resume,
	.arm = cps_switches_arm,
	.disarm = cps_switches_disarm,
	.counted = cps_switches_counted,
	.credit_rest = cps_switches_credit_rest,
};

const struct cps_resource cps_resource_migrations = {
	.name = "migrations",
	.unit = "migrations",
	.engine = "perf",
	.about = "moves to another processor",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1,
	.probe = cps_switch_records_probe,
	.start = cps_switches_start,
	.stop = cps_switches_stop,
	.pause = cps_switches_pause,
	.resume = cps_switches_resume,
	.arm = cps_switches_arm,
	.disarm = cps_switches_disarm,
	.credit_rest = cps_switches_credit_rest,
};
