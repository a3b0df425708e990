/* SPDX-License-Identifier: MIT */
/*
 * clock_strata.c - samples at random instants, of threads that the kernel's tick has met running.
 *
 * In: an interval. Out: as many samples per second of CPU time as asked for, at instants that have
 * nothing to do with the kernel's own tick. CPU timers alone can only tick together with it, so that
 * a program that keeps time with it is always met in the same part of its work.
 *
 * Stratified sampling, with two timers. The *gate* is a timer on the thread's CPU clock. When it
 * ticks, the thread is running, and a stratum of the length of the kernel's tick begins. It is divided
 * into parts as long as the interval, and the *shot*, a timer on the time of day, comes at a random
 * instant of each of them. The start of a thread is a gate, too. One stratum follows the other until the
 * thread is idle.
 *
 * At its beginning a stratum is promised what the thread will use in it if it goes on running, plus
 * what it has used and was not credited with (or minus what was credited too much). Each shot that
 * meets the thread running gets an equal part of this. The promise must not depend on what happens
 * in the stratum: what was used since the last shot is related to where the thread is now
 * (doc/decisions/0059).
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error_text.h"
#include "base/moment.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "clock/posix_timer.h"
#include "signal/budget.h"
#include "signal/disposition.h"
#include "stream/recording.h"
#include "unwind/regs.h"

#define GATE	    UINT64_C(0xc95a3b7f00000000) /* the values that the two timers bring */
#define SHOT	    UINT64_C(0xc95a3b8000000000)
#define ID	    UINT64_C(0xffffffff)
#define TICK_USUAL  4000000u  /* ns between ticks of the kernel, if it does not say */
#define TICK_MOST   20000000u /* ns */
#define PROMPT	    30000     /* ns; so late may a shot come to a thread that runs */
#define CALM_ENOUGH 16u	      /* strata without a shot into a sleep */
#define IDLE_PART   16u	      /* a thread that runs for less than this part of the time is idle */

static uint64_t interval_ns, tick_ns;

static uint64_t kind_of(const siginfo_t *info)
{
	return info->si_code == SI_TIMER ? (uintptr_t)info->si_value.sival_ptr & ~ID : 0;
}

static bool is_mine(const siginfo_t *info)
{
	return kind_of(info) == GATE || kind_of(info) == SHOT;
}

/* A stratum is as long as whole ticks of the kernel, so that none of the thread's time lies between
 * two of them. */
static uint64_t stratum_ns(const struct cps_thread *t)
{
	return (cps_budget_interval(t, interval_ns) + tick_ns - 1) / tick_ns * tick_ns;
}

/* The gate is for an idle thread: the next tick that meets it running, whatever that is. Of longer strata
 * it is the tick at which one ends that begins now. */
static void set_gate(struct cps_thread *t)
{
	uint64_t mean = stratum_ns(t) - tick_ns / 16 * 15;

	if (t->has_timer)
		cps_posix_timer_set(t->timer, 0, cps_clock_vary(t, mean, tick_ns / 32), 0);
}

/* Draws the instant of the next shot in the part that ends at part_end. */
static void draw_shot(struct cps_thread *t)
{
	struct cps_strata *s = &t->strata;

	s->shot_at = s->part_end - s->part + cps_clock_vary(t, s->part / 2, s->part / 2);
}

/* The thread is running now, at this reading, and the stratum begins now or a little later. A thread
 * that is often found asleep has only one shot in a stratum, so that few of them wake it up. */
static void begin_stratum(struct cps_thread *t, uint64_t now, uint64_t reading, uint64_t begin)
{
	struct cps_strata *s = &t->strata;
	uint64_t length = stratum_ns(t);

	s->left = s->calm < CALM_ENOUGH ? 1
					: (uint32_t)(length / cps_budget_interval(t, interval_ns));
	s->left = s->left ? s->left : 1;
	s->calm += s->calm < CALM_ENOUGH;
	s->part = length / s->left;
	s->part_end = begin + s->part;
	s->promise = reading + (begin - now) + length;
	t->slack = length;
	draw_shot(t);
}

/* Whether the shot has ended a sleep. The sleep's call then fails with EINTR or is made again. */
static bool has_woken(const ucontext_t *context)
{
	return cps_regs_interrupted_call(context) || cps_regs_restarted_call(context) >= 0;
}

/* Whether the thread was not running when the shot came: it was just waking up, or waited for a
 * processor. A shot into a long system call comes late, too; but then the thread has not been away
 * from the processor for so long. */
static bool was_away(const struct cps_strata *s, uint64_t late, uint64_t now, uint64_t reading)
{
	int64_t away = (int64_t)(now - s->seen_at - (reading - s->seen_reading));

	return late > PROMPT && away > (int64_t)late - PROMPT;
}

/* Ends the parts whose instant has come. Returns how many. */
static uint32_t end_parts(struct cps_thread *t, uint64_t now)
{
	struct cps_strata *s = &t->strata;
	uint32_t n = 0;

	while (s->left && s->shot_at <= now) {
		n++;
		s->left--;
		s->part_end += s->part;
		draw_shot(t);
	}
	return n;
}

static void see(struct cps_strata *s, uint64_t now, uint64_t reading)
{
	s->seen_at = now;
	s->seen_reading = reading;
}

/* After the last shot of a stratum the thread is running, so that the next stratum follows. */
static void go_on(struct cps_thread *t, uint64_t now, uint64_t reading)
{
	uint64_t end = t->strata.part_end - t->strata.part;

	begin_stratum(t, now, reading, end > now ? end : now);
}

/* Whether a thread that a shot has found asleep hardly works, and is to be left alone until the next gate.
 * Otherwise the stratum goes on: work after a sleep must not be met less often than work before one. */
static bool is_idle(const struct cps_strata *s, uint64_t reading)
{
	return reading - s->seen_reading < s->part / IDLE_PART;
}

static bool admit_shot(struct cps_thread *t, const ucontext_t *context, uint64_t now,
		       uint64_t *reading)
{
	struct cps_strata *s = &t->strata;
	int64_t due = (int64_t)(s->promise - t->consumed);
	uint64_t late = now - s->shot_at;
	uint32_t left = s->left, hits = end_parts(t, now);
	bool has_slept = has_woken(context), is_away = was_away(s, late, now, *reading);
	bool is_over = has_slept && is_idle(s, *reading);

	if (!hits) /* it is of an earlier stratum */
		return false;
	see(s, now, *reading);
	if (has_slept)
		s->calm = 0;
	if (is_over)
		s->left = 0;
	else if (!s->left)
		go_on(t, now, *reading);
	if (has_slept || is_away || due <= 0)
		return false;
	*reading = t->consumed + (uint64_t)due * hits / left;
	return true;
}

static bool admit(struct cps_thread *t, const siginfo_t *info, const ucontext_t *context,
		  uint64_t now, uint64_t *reading)
{
	if (!t->has_shot)
		return true;
	if (kind_of(info) == SHOT)
		return admit_shot(t, context, now, reading);
	see(&t->strata, now, *reading);
	begin_stratum(t, now, *reading, now);
	return false;
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	if (t->strata.left)
		cps_posix_timer_set(t->shot, TIMER_ABSTIME, t->strata.shot_at, 0);
	if (!t->strata.left || !info)
		set_gate(t);
}

static int create(const struct cps_thread *t, clockid_t clock, uint64_t value, int *timer)
{
	return cps_posix_timer_create(clock, t->tid, CPS_SIGNAL_OWN, value | t->id, timer);
}

/* The first stratum of a thread begins with it, so that threads that live shorter than a tick of the
 * kernel are sampled, too. Before there is a recording none does: a program that uses no time to
 * speak of shall leave none. */
static void begin_thread(struct cps_thread *t)
{
	uint64_t reading, now;

	if (t != cps_thread_self() || !cps_recording_path())
		return;
	reading = cps_clock_cpu();
	t->strata.calm = CALM_ENOUGH;
	now = cps_moment_ns();
	see(&t->strata, now, reading);
	begin_stratum(t, now, reading, now);
	cps_sample_take_over(t);
}

/* Without a second timer the gate's ticks are samples, as those of clock_timer.c are. */
static int arm(struct cps_thread *t)
{
	int error = create(t, cps_sys_thread_clock(t->tid), GATE, &t->timer);

	if (error)
		return error;
	t->has_timer = true;
	memset(&t->strata, 0, sizeof(t->strata));
	t->has_shot = create(t, CLOCK_MONOTONIC, SHOT, &t->shot) == 0;
	if (t->has_shot)
		begin_thread(t);
	rearm(t, NULL);
	return 0;
}

static void disarm(struct cps_thread *t)
{
	if (t->has_timer)
		cps_posix_timer_delete(t->timer);
	if (t->has_shot)
		cps_posix_timer_delete(t->shot);
	t->has_timer = t->has_shot = false;
	t->strata.left = 0;
}

static int start(const struct cps_clock_settings *settings)
{
	struct timespec tick = {0, 0};

	interval_ns = settings->interval_ns;
	tick_ns = TICK_USUAL;
	/* The coarse clock advances at the kernel's ticks. */
	if (CPS_SYS(clock_getres, CLOCK_MONOTONIC_COARSE, &tick, 0, 0) == 0 && !tick.tv_sec &&
	    tick.tv_nsec > 0 && tick.tv_nsec <= TICK_MOST)
		tick_ns = (uint64_t)tick.tv_nsec;
	return 0;
}

static int probe(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	struct cps_thread self = {.tid = cps_sys_gettid()};
	int error = create(&self, cps_sys_thread_clock(self.tid), GATE, &self.timer);

	(void)settings;
	if (!error) {
		error = create(&self, CLOCK_MONOTONIC, SHOT, &self.shot);
		cps_posix_timer_delete(self.timer);
	}
	if (!error)
		cps_posix_timer_delete(self.shot);
	else
		snprintf(why, bytes, "timer_create: %s", cps_error_text(-error));
	return error;
}

static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.admit = admit,
	.rearm = rearm,
	.scale = 1000,
};

const struct cps_clock cps_clock_strata = {
	.name = "strata",
	.resource = "cpu",
	.is_periodic = true,
	.ticks_in_calls = true,
	.unit = "ns",
	.meter = &meter,
	.fallback = &cps_clock_timer,
	.probe = probe,
	.start = start,
	.arm = arm,
	.disarm = disarm,
};
