/* SPDX-License-Identifier: MIT */
/*
 * clock.c - runs a clock, and chooses another one where the wanted one would not tick.
 *
 * In: a clock and the settings. Out: threads that are interrupted at intervals drawn at random.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sys.h"
#include "clock/clock.h"

#define CHAIN 4 /* more than clocks tried in turn: itimer and timer are each other's fallback */

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

/* The random number generator splitmix64. */
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
					 const struct cps_clock_settings *settings, char *why,
					 size_t bytes)
{
	const struct cps_clock *clock = wanted, *refused[CHAIN] = {NULL};
	size_t n = 0, end;

	why[0] = '\0';
	for (int i = 0; clock && clock->probe; i++) {
		for (int k = 0; k < i; k++)
			if (refused[k] == clock)
				return NULL;
		end = n;
		if (i > 0 && n + 3 < bytes) {
			memcpy(why + n, "; ", 3);
			n += 2;
		}
		if (clock->probe(settings, why + n, bytes - n) == 0) {
			why[end] = '\0'; /* nothing follows the separator */
			return clock;
		}
		n = strlen(why);
		refused[i] = clock;
		clock = clock->fallback;
	}
	return clock;
}

bool cps_clock_has_kernel(int major, int minor)
{
	struct utsname kernel;
	int has_major = 0, has_minor = 0;

	if (uname(&kernel) != 0 || sscanf(kernel.release, "%d.%d", &has_major, &has_minor) != 2)
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}

bool cps_clock_ticks_in_calls(const struct cps_clock *clock)
{
	return clock->ticks_in_calls || !cps_clock_has_kernel(5, 9);
}

int cps_clock_start(const struct cps_clock *clock, const struct cps_clock_settings *settings)
{
	jitter = settings->jitter;
	seed = settings->is_seeded ? settings->seed : cps_sys_clock_ns(CLOCK_MONOTONIC);
	return clock->start ? clock->start(settings) : 0;
}

static void disarm_one(struct cps_thread *t, void *clock)
{
	cps_clock_disarm(clock, t);
}

void cps_clock_stop(const struct cps_clock *clock)
{
	if (clock->disarm)
		cps_thread_each(disarm_one, (void *)(uintptr_t)clock);
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
