/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the table of clocks.
 *
 * Room: clock. In: settings. Out: a clock. The clock of the resource `signals` is here, since it
 * arms nothing.
 */
#include <string.h>

#include "clock.h"
#include "sys.h"

uint64_t cps_clock_cpu(void)
{
	return cps_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t cps_clock_cpu_of(const struct cps_thread *t)
{
	return cps_sys_clock_ns(cps_sys_thread_clock(t->tid));
}

int cps_clock_start(const struct cps_clock *clock, const struct cps_config *config)
{
	return clock->start ? clock->start(config) : 0;
}

void cps_clock_stop(const struct cps_clock *clock)
{
	if (clock->stop)
		clock->stop();
}

int cps_clock_arm(const struct cps_clock *clock, struct cps_thread *t)
{
	return clock->arm ? clock->arm(t) : 0;
}

void cps_clock_disarm(const struct cps_clock *clock, struct cps_thread *t)
{
	if (clock->disarm)
		clock->disarm(t);
}

static bool any_signal(const siginfo_t *info)
{
	(void)info;
	return true;
}

static const struct cps_meter signals_meter = {
	.signal = SIGPROF, .is_mine = any_signal, .adopts = true, .scale = 1};

const struct cps_clock cps_clock_signals = {
	.name = "signals",
	.resource = "signals",
	.unit = "signals",
	.meter = &signals_meter,
};

static const struct cps_clock *const cpu_clocks[] = {&cps_clock_timer, &cps_clock_itimer};

const struct cps_clock *cps_clock_find(const struct cps_config *config)
{
	if (config->resource == CPS_RESOURCE_SIGNALS)
		return &cps_clock_signals;
	for (size_t i = 0; i < sizeof(cpu_clocks) / sizeof(cpu_clocks[0]); i++)
		if (strcmp(cpu_clocks[i]->name, config->clock) == 0)
			return cpu_clocks[i];
	return NULL;
}
