/* SPDX-License-Identifier: MIT */
/*
 * clock_itimer.c - the process's one profiling timer.
 *
 * Room: clock. In: an interval. Out: SIGPROF to whichever thread is running when the process's
 * CPU time has passed; it also sees threads that clone(2) made. Weights come from each thread's
 * own clock.
 */
#include <signal.h>
#include <sys/time.h>

#include "clock.h"
#include "sys.h"

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

static int start(const struct cps_config *config)
{
	return set(config->interval_ns);
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
	.unit = "ns",
	.meter = &meter,
	.start = start,
	.stop = stop,
};
