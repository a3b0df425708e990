/* SPDX-License-Identifier: MIT */
/*
 * clock_itimer.c - one timer on the CPU time of the whole process.
 *
 * In: an interval. Out: SIGPROF to whichever thread is running when the process has used that much
 * CPU time. Threads that were made by a bare clone(2) are sampled, too. Weights come from each
 * thread's own clock.
 *
 * A POSIX timer is used where the kernel gives its signals to the running thread, which is so since
 * Linux 6.4: exec deletes it, and a tick that is on its way then. setitimer's timer survives exec and
 * ends a program that knows nothing of it. It is used with older kernels, which prefer the first
 * thread for the signals of a POSIX timer, and where no POSIX timer can be had
 * (doc/decisions/0044).
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/time.h>

#include "base/error_text.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "clock/posix_timer.h"
#include "signal/disposition.h"
#include "base/poison.h"

#define COOKIE UINT64_C(0xc95a3b7c00000000) /* what the signals of the POSIX timer bring */
#define NONE   (-1)

static _Atomic int posix_timer = NONE;
static atomic_bool has_itimer;

static bool is_mine(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL ||
	       (info->si_code == SI_TIMER && (uintptr_t)info->si_value.sival_ptr == COOKIE);
}

static int set_itimer(uint64_t ns)
{
	struct itimerval every = {0};

	every.it_interval.tv_sec = (time_t)(ns / 1000000000);
	every.it_interval.tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
	every.it_value = every.it_interval;
	return (int)CPS_SYS(setitimer, ITIMER_PROF, &every, NULL, 0);
}

static void stop(void)
{
	int timer = atomic_exchange(&posix_timer, NONE);

	if (timer != NONE)
		cps_posix_timer_delete(timer);
	if (atomic_exchange(&has_itimer, false))
		set_itimer(0);
}

static int start_posix_timer(uint64_t ns)
{
	int timer, error;

	error = cps_posix_timer_create(CLOCK_PROCESS_CPUTIME_ID, 0, SIGPROF, COOKIE, &timer);
	if (error)
		return error;
	atomic_store(&posix_timer, timer);
	return cps_posix_timer_set(timer, 0, ns, ns);
}

/* Refuses if the program was started with SIGPROF ignored or blocked, or with the timer running: it
 * must find these as they were, and hand them on to the programs that it starts. */
static int probe(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct itimerval running = {0};
	uint64_t mask = 0;

	(void)settings;
	if (cps_disposition_is_ignored(SIGPROF))
		cps_error_text_join(why, bytes, "SIGPROF was ignored when the program was started",
				    NULL);
	else if (CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) == 0 &&
		 mask & UINT64_C(1) << (SIGPROF - 1))
		cps_error_text_join(why, bytes, "SIGPROF was blocked when the program was started",
				    NULL);
	else if (CPS_SYS(getitimer, ITIMER_PROF, &running, 0, 0) == 0 &&
		 (running.it_value.tv_sec || running.it_value.tv_usec))
		cps_error_text_join(why, bytes,
				    "the profiling timer was running when the program was started",
				    NULL);
	else
		return 0;
	return -EBUSY;
}

static int start(const struct cps_clock_settings *settings)
{
	stop(); /* in a child this forgets what its parent had */
	if (cps_clock_has_kernel(6, 4) && start_posix_timer(settings->interval_ns) == 0)
		return 0;
	atomic_store(&has_itimer, true);
	return set_itimer(settings->interval_ns);
}

static const struct cps_meter meter = {
	.signal = SIGPROF,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.adopts = true,
	.is_kernels_tick = true,
	.scale = 1000,
};

const struct cps_clock cps_clock_itimer = {
	.name = "itimer",
	.resource = "cpu",
	.interval_ns = 1000000,
	.ticks_in_calls = true, /* a tick may go to a thread that waits */
	.unit = "ns",
	.meter = &meter,
	.fallback = &cps_clock_timer,
	.probe = probe,
	.start = start,
	.stop = stop,
};
