/* SPDX-License-Identifier: MIT */
/*
 * clock_itimer.c - the one profiling timer that a process has.
 *
 * In: an interval. Out: SIGPROF to whichever thread is running when the process has used that much
 * CPU time. Threads that were made by a bare clone(2) are sampled, too. Weights come from each
 * thread's own clock.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "base/sys.h"
#include "clock/clock.h"
#include "signal/disposition.h"

static bool is_mine(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL;
}

static int set(uint64_t ns)
{
	struct itimerval every = {0};

	every.it_interval.tv_sec = (time_t)(ns / 1000000000);
	every.it_interval.tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
	every.it_value = every.it_interval;
	return (int)CPS_SYS(setitimer, ITIMER_PROF, &every, NULL, 0);
}

/* Refuses if the program was started with SIGPROF ignored or blocked, or with the timer running: it
 * must find these as they were, and hand them on to the programs that it starts. */
static int probe(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct itimerval running = {0};
	uint64_t mask = 0;

	(void)settings;
	if (cps_disposition_is_ignored(SIGPROF))
		snprintf(why, bytes, "SIGPROF was ignored when the program was started");
	else if (CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) == 0 &&
		 mask & UINT64_C(1) << (SIGPROF - 1))
		snprintf(why, bytes, "SIGPROF was blocked when the program was started");
	else if (CPS_SYS(getitimer, ITIMER_PROF, &running, 0, 0) == 0 &&
		 (running.it_value.tv_sec || running.it_value.tv_usec))
		snprintf(why, bytes,
			 "the profiling timer was running when the program was started");
	else
		return 0;
	return -EBUSY;
}

static int start(const struct cps_clock_settings *settings)
{
	return set(settings->interval_ns);
}

static void stop(void)
{
	set(0);
}

static const struct cps_meter meter = {
	.signal = SIGPROF,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.adopts = true,
	.scale = 1000,
};

const struct cps_clock cps_clock_itimer = {
	.name = "itimer",
	.resource = "cpu",
	.is_periodic = true,
	.unit = "ns",
	.meter = &meter,
	.fallback = &cps_clock_timer,
	.probe = probe,
	.start = start,
	.stop = stop,
};
