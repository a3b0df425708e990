/* SPDX-License-Identifier: MIT */
/*
 * clock_timer.c - timers of the kernel on CPU clocks, of each thread or of the whole process.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#include "base/sys.h"
#include "base/text.h"
#include "clock/clock.h"
#include "clock/clock_timer.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "base/poison.h"

/* ---- posix timer ----------------------------------------------------------------------------- */
/*
 * Makes timers of the kernel by direct system calls.
 *
 * In: a clock, a time. Out: a signal.
 */

#define NS_PER_S UINT64_C(1000000000)

int cps_posix_timer_create(clockid_t clock, int tid, int number, uint64_t value, int *timer)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = tid ? SIGEV_THREAD_ID : SIGEV_SIGNAL;
	event.sigev_signo = number;
	event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
	event._sigev_un._tid = tid;
	return (int)CPS_SYS(timer_create, clock, &event, timer, 0);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

int cps_posix_timer_set(int timer, int flags, uint64_t ns, uint64_t every_ns)
{
	const struct itimerspec when = {.it_interval = timespec_of(every_ns),
					.it_value = timespec_of(ns)};

	return (int)CPS_SYS(timer_settime, timer, flags, &when, NULL);
}

uint64_t cps_posix_timer_stop(int timer)
{
	const struct itimerspec never = {{0, 0}, {0, 0}};
	struct itimerspec left = {{0, 0}, {0, 0}};

	CPS_SYS(timer_settime, timer, 0, &never, &left);
	return (uint64_t)left.it_value.tv_sec * NS_PER_S + (uint64_t)left.it_value.tv_nsec;
}

void cps_posix_timer_delete(int timer)
{
	CPS_SYS(timer_delete, timer, 0, 0, 0);
}

/* ---- clock timer ----------------------------------------------------------------------------- */
/*
 * A POSIX timer on each thread's CPU clock.
 *
 * In: an interval. Out: a tick in the thread that has used that much CPU time. The timer is set for
 * one tick at a time and the handler sets it again, so that ticks cannot pile up however slow the
 * handler is, and each interval can be drawn anew. The kernel looks at CPU timers only when its own
 * clock ticks. An interval that is shorter than this tick becomes as long as the tick; the weights
 * of the samples account for that (doc/decisions/0014, 0015).
 *
 * Order: a timer's number is there before `has_timer` is released, and used by who has acquired that: the program has timers of
 * its own. Who exchanges it ends the timer. Who has set it looks at the gate then (cps_clock_arm), and who stops the clock has
 * closed that before.
 */

static uint64_t interval_ns;

/* The upper half of the value that a tick brings. It looks like no address of a program, so a tick
 * is known as ours even after its thread has ended. */
#define COOKIE UINT64_C(0xc95a3b7e00000000)

static bool is_mine(const siginfo_t *info)
{
	return info->si_code == SI_TIMER &&
	       ((uintptr_t)info->si_value.sival_ptr & ~UINT64_C(0xffffffff)) == COOKIE;
}

static void shoot(struct cps_thread *t)
{
	uint64_t mean;

	if (!atomic_load(&t->has_timer))
		return;
	mean = cps_budget_interval(t, interval_ns);
	cps_posix_timer_set(t->timer, 0, cps_clock_vary(t, mean, mean / 2), 0);
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	(void)info;
	shoot(t);
}

static int start(const struct cps_clock_settings *settings)
{
	interval_ns = settings->interval_ns;
	return 0;
}

/* Creates a timer on the CPU clock of t, which may be another thread than the caller. */
static int create(struct cps_thread *t)
{
	return cps_posix_timer_create(cps_sys_thread_clock(t->tid), t->tid, CPS_SIGNAL_OWN,
				      COOKIE | t->id, &t->timer);
}

static int arm(struct cps_thread *t)
{
	int error = create(t);

	if (error)
		return error;
	atomic_store(&t->has_timer, true);
	shoot(t);
	return 0;
}

static void disarm(struct cps_thread *t)
{
	if (atomic_exchange(&t->has_timer, false))
		cps_posix_timer_delete(t->timer);
}

static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.rearm = rearm,
	.is_kernels_tick = true,
	.scale = 1000,
};

const struct cps_clock cps_clock_timer = {
	.name = "timer",
	.resource = "cpu",
	.interval_ns = 1000000,
	.unit = "ns",
	.meter = &meter,
	.start = start,
	.arm = arm,
	.disarm = disarm,
};

/* ---- clock itimer ---------------------------------------------------------------------------- */
/*
 * One timer on the CPU time of the whole process.
 *
 * In: an interval. Out: SIGPROF to whichever thread is running when the process has used that much
 * CPU time. Threads that were made by a bare clone(2) are sampled, too. Weights come from each
 * thread's own clock.
 *
 * A POSIX timer is used where the kernel gives its signals to the running thread, which is so since
 * Linux 6.4: exec deletes it, and a tick that is on its way then. setitimer's timer survives exec
 * and ends a program that knows nothing of it. It is used with older kernels, which prefer the
 * first thread for the signals of a POSIX timer, and where no POSIX timer can be had
 * (doc/decisions/0044).
 */

#define PROCESS_COOKIE UINT64_C(0xc95a3b7c00000000) /* what the signals of the POSIX timer bring */
#define NONE	       (-1)

/* Order: who has exchanged one of these ends what it stands for. */
static _Atomic int posix_timer = NONE;
static atomic_bool has_itimer;

static bool is_itimers(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL ||
	       (info->si_code == SI_TIMER && (uintptr_t)info->si_value.sival_ptr == PROCESS_COOKIE);
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

	error = cps_posix_timer_create(CLOCK_PROCESS_CPUTIME_ID, 0, SIGPROF, PROCESS_COOKIE,
				       &timer);
	if (error)
		return error;
	atomic_store(&posix_timer, timer);
	return cps_posix_timer_set(timer, 0, ns, ns);
}

static int start_itimer(const struct cps_clock_settings *settings)
{
	stop(); /* in a child this forgets what its parent had */
	if (cps_clock_has_kernel(6, 4) && start_posix_timer(settings->interval_ns) == 0)
		return 0;
	atomic_store(&has_itimer, true);
	return set_itimer(settings->interval_ns);
}

static const struct cps_meter itimer_meter = {
	.signal = SIGPROF,
	.is_mine = is_itimers,
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
	.meter = &itimer_meter,
	.start = start_itimer,
	.stop = stop,
};
