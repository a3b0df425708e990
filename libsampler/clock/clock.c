/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the table of clocks.
 *
 * Room: clock. In: settings. Out: a clock. The clock of the resource `signals` is here, since it
 * arms nothing.
 */
#include <string.h>

#include "clock/clock.h"
#include "base/sys.h"

#define CHAIN 3 /* of clocks that stand in for each other: itimer and timer do so both ways */

static uint64_t seed;
static bool jitter;

uint64_t cps_clock_cpu(void)
{
	return cps_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t cps_clock_cpu_of(const struct cps_thread *t)
{
	return cps_sys_clock_ns(cps_sys_thread_clock(t->tid));
}

/* splitmix64 */
static uint64_t draw(struct cps_thread *t)
{
	uint64_t x = (t->random += UINT64_C(0x9e3779b97f4a7c15)) ^ seed;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t cps_clock_vary(struct cps_thread *t, uint64_t mean, uint64_t spread)
{
	return jitter && spread ? mean - spread + draw(t) % (2 * spread) : mean;
}

const struct cps_clock *cps_clock_choose(const struct cps_clock *wanted,
					 const struct cps_config *config, char *why, size_t bytes)
{
	const struct cps_clock *clock = wanted;
	size_t n = 0;

	why[0] = '\0';
	for (int i = 0; i < CHAIN && clock->probe && clock->fallback; i++) {
		if (clock->probe(config, why + n, bytes - n) == 0)
			break;
		clock = clock->fallback;
		n = strlen(why);
		if (i + 1 < CHAIN && clock->probe && n + 3 < bytes) {
			memcpy(why + n, "; ", 3);
			n += 2;
		}
	}
	if (n >= 2 && why[n - 1] == ' ' && !why[n])
		why[n - 2] = '\0'; /* the last one had nothing to say */
	return clock;
}

int cps_clock_start(const struct cps_clock *clock, const struct cps_config *config)
{
	jitter = config->jitter;
	seed = config->is_seeded ? config->seed : cps_sys_clock_ns(CLOCK_MONOTONIC);
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

static const struct cps_clock *const cpu_clocks[] = {&cps_clock_timer, &cps_clock_itimer,
						     &cps_clock_perf};

const struct cps_clock *cps_clock_find(const struct cps_config *config)
{
	if (config->resource == CPS_RESOURCE_SIGNALS)
		return &cps_clock_signals;
	for (size_t i = 0; i < sizeof(cpu_clocks) / sizeof(cpu_clocks[0]); i++)
		if (strcmp(cpu_clocks[i]->name, config->clock) == 0)
			return cpu_clocks[i];
	return NULL;
}
