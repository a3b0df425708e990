/* SPDX-License-Identifier: MIT */
/*
 * clock.c - runs a clock, and chooses another one where the wanted one would not tick.
 *
 * In: a clock and the settings. Out: threads that are interrupted at intervals drawn at random.
 */
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sys.h"
#include "clock/clock.h"
#include "base/poison.h"

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
static uint64_t draw(uint64_t *state)
{
	uint64_t x = (*state += UINT64_C(0x9e3779b97f4a7c15)) ^ seed;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t cps_clock_vary_by(uint64_t *state, uint64_t mean, uint64_t spread)
{
	return jitter && spread ? mean - spread + draw(state) % (2 * spread) : mean;
}

uint64_t cps_clock_vary(struct cps_thread *t, uint64_t mean, uint64_t spread)
{
	return cps_clock_vary_by(&t->random, mean, spread);
}

/* Von Neumann's comparisons: x uniform in [0, 1) is kept with the probability exp(-x), namely if a
 * run of falling numbers that begins with it has an odd length; each x that is not kept adds 1. */
uint64_t cps_clock_vary_freely(struct cps_thread *t, uint64_t mean)
{
	uint64_t whole = 0, first, last, next;
	bool is_odd;

	if (!jitter)
		return mean;
	for (;; whole += mean) {
		first = last = draw(&t->random) >> 32;
		for (is_odd = true; (next = draw(&t->random) >> 32) < last; is_odd = !is_odd)
			last = next;
		if (is_odd)
			return whole + (mean >> 32) * first + ((uint32_t)mean * first >> 32);
	}
}

uint64_t cps_clock_interval(const struct cps_clock *clock,
			    const struct cps_clock_settings *settings)
{
	return clock->interval_ns && settings->interval_ns ? settings->interval_ns
							   : clock->interval_ns;
}

/* What the clock's functions are called with: the settings, with an interval. */
static struct cps_clock_settings with_interval(const struct cps_clock *clock,
					       const struct cps_clock_settings *settings)
{
	struct cps_clock_settings with = *settings;

	with.interval_ns = cps_clock_interval(clock, settings);
	return with;
}

const struct cps_clock *cps_clock_choose(const struct cps_clock *wanted,
					 const struct cps_clock_settings *settings, char *why,
					 size_t bytes)
{
	const struct cps_clock *clock = wanted, *refused[CHAIN] = {NULL};
	struct cps_clock_settings with;
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
		with = with_interval(clock, settings);
		if (clock->probe(&with, why + n, bytes - n) == 0) {
			why[end] = '\0'; /* nothing follows the separator */
			return clock;
		}
		n = strlen(why);
		refused[i] = clock;
		clock = clock->fallback;
	}
	return clock;
}

/* Reads digits up to what follows. False: there are none. */
static bool read_number(const char **text, int *n)
{
	const char *first = *text;

	for (*n = 0; **text >= '0' && **text <= '9' && *n < 10000; ++*text)
		*n = *n * 10 + (**text - '0');
	return *text > first;
}

bool cps_clock_has_kernel(int major, int minor)
{
	struct utsname kernel;
	int has_major, has_minor;
	const char *p = kernel.release;

	if (CPS_SYS(uname, &kernel, 0, 0, 0) != 0 || !read_number(&p, &has_major) || *p++ != '.' ||
	    !read_number(&p, &has_minor))
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}

bool cps_clock_keeps_out(const struct cps_clock *clock)
{
	return clock->meter->hold && cps_clock_has_kernel(5, 9);
}

bool cps_clock_ticks_in_calls(const struct cps_clock *clock)
{
	return clock->ticks_in_calls || !cps_clock_has_kernel(5, 9);
}

int cps_clock_start(const struct cps_clock *clock, const struct cps_clock_settings *settings)
{
	struct cps_clock_settings with = with_interval(clock, settings);

	jitter = settings->jitter;
	seed = settings->is_seeded ? settings->seed : cps_sys_clock_ns(CLOCK_MONOTONIC);
	return clock->start ? clock->start(&with) : 0;
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
