/* SPDX-License-Identifier: MIT */
/*
 * clock.c - runs a clock, with intervals drawn at random.
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sys.h"
#include "clock/clock.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "base/poison.h"

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

/* Another thread may have closed the gate and stopped the clock meanwhile, or be about to do so: one of both disarms. The signal of
 * a timer that stayed would have nobody who takes it, when that was given back. */
int cps_clock_arm(const struct cps_clock *clock, struct cps_thread *t)
{
	int error = clock->arm ? clock->arm(t) : 0;

	if (!error && !cps_gate_is_open())
		cps_clock_disarm(clock, t);
	return error;
}

void cps_clock_disarm(const struct cps_clock *clock, struct cps_thread *t)
{
	if (clock->disarm)
		clock->disarm(t);
}

/* ---- clock none ------------------------------------------------------------------------------ */
/*
 * The clock of a recording that none of its resources needs one for.
 *
 * In: nothing. Out: no tick.
 */

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

/* ---- clock signals --------------------------------------------------------------------------- */
/*
 * Counts each SIGPROF that the target gets, whoever sends it.
 *
 * In: SIGPROF. Out: a tick that weighs 1. There is nothing to arm, since the target or another
 * process sends the signals.
 */

static bool is_any_sigprof(const siginfo_t *info)
{
	(void)info;
	return true;
}

static const struct cps_meter meter_of_signals = {
	.signal = SIGPROF,
	.is_mine = is_any_sigprof,
	.adopts = true,
	.scale = 1,
};

const struct cps_clock cps_clock_signals = {
	.name = "signals",
	.resource = "signals",
	.unit = "signals",
	.is_external = true,
	.ticks_in_calls = true,
	.meter = &meter_of_signals,
};
