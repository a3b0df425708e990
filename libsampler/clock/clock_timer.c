/* SPDX-License-Identifier: MIT */
/*
 * clock_timer.c - a POSIX timer on each thread's CPU clock.
 *
 * In: an interval. Out: a tick in the thread that has used that much CPU time. The timer is set for
 * one tick at a time and the handler sets it again, so that ticks cannot pile up however slow the
 * handler is, and each interval can be drawn anew. The kernel looks at CPU timers only when its own
 * clock ticks. An interval that is shorter than this tick becomes as long as the tick; the weights
 * of the samples account for that (doc/decisions/0014, 0015).
 */
#include <signal.h>
#include <stdint.h>

#include "base/error_text.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "clock/posix_timer.h"
#include "signal/budget.h"
#include "signal/disposition.h"
#include "base/poison.h"

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

	if (!t->has_timer)
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
	t->has_timer = true;
	shoot(t);
	return 0;
}

/* Timers may be refused: their number is limited to that of signals that may be pending
 * (RLIMIT_SIGPENDING), which all processes of a user share, and a container's filter may forbid
 * them. */
static int probe(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct cps_thread self = {.tid = cps_sys_gettid()};
	int error = create(&self);

	(void)settings;
	if (!error)
		cps_posix_timer_delete(self.timer);
	else
		cps_error_text_join(why, bytes, "timer_create: ", cps_error_text(-error), NULL);
	return error;
}

static void disarm(struct cps_thread *t)
{
	if (t->has_timer)
		cps_posix_timer_delete(t->timer);
	t->has_timer = false;
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
	.fallback = &cps_clock_itimer,
	.probe = probe,
	.name = "timer",
	.resource = "cpu",
	.interval_ns = 1000000,
	.unit = "ns",
	.meter = &meter,
	.start = start,
	.arm = arm,
	.disarm = disarm,
};
