/* SPDX-License-Identifier: MIT */
/*
 * clock_perf.c - an event of the kernel's perf subsystem on each thread's CPU time.
 *
 * In: an interval. Out: a tick in the thread that has used that much time. The ticks come from one
 * of the kernel's high-resolution timers, 10,000 a second, where CPU timers wait for the kernel's
 * own tick and give 250. Not every user may have such events. Where they are refused clock_timer.c
 * is used instead, for the process or for a thread.
 *
 * An event lives as long as something keeps it open. That is a page mapped from it, and no
 * descriptor: the target may close all descriptors that it finds, and every number stays free for
 * its own files. A child made by fork has neither the page nor the event. munmap, by any thread,
 * ends the event (doc/decisions/0011).
 *
 * Without a descriptor neither the event's period can be changed nor the next tick be asked for. So
 * each event lasts for a number of ticks, and is then replaced by another one with a new period,
 * drawn from half to one and a half of the mean (doc/decisions/0014). No more signals than this
 * number can wait, which keeps the kernel's queue of signals free; all processes of a user share it.
 * Order: an event belongs to who has exchanged its page out of the thread's entry, or has put it there. What is stored of it
 * before is acquired with the page. Who puts one there looks at the gate then (cps_clock_arm, renew, mode), and who stops the clock
 * has closed that before: one of them ends it. The interval is set before the first thread is armed, and stays the same.
 *
 * The number grows while no tick has to wait. If ticks come faster than they can be handled, so that a thread
 * has no time for anything else, the thread gets longer periods until it has.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/sys.h"
#include "base/text.h"
#include "clock/clock.h"
#include "clock/perf.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/sample.h"
#include "stream/atoms.h"
#include "stream/loss.h"
#include "base/poison.h"

#define PERIOD_LEAST                                                                               \
	50000u		/* ns; a tick takes 8 us on a virtual machine, most of it the kernel's */
#define TICKS_LEAST 32u /* ticks of one event */
#define TICKS_MOST  64u /* ticks of one event if they come in time */
#define SLOWEST	    8u	/* at most so many times is a thread's period doubled */
#define GOOD_ENOUGH 5u	/* events without a left-over tick before periods become shorter again */

static uint64_t interval_ns;

static bool is_mine(const siginfo_t *info)
{
	return info->si_code == POLL_IN || info->si_code == POLL_HUP ||
	       cps_clock_timer.meter->is_mine(info);
}

/* The event also counts the time that the thread spends in the kernel. Without it, all of that time
 * would be credited to the place where the next tick meets the program. */
int cps_perf_open_clock(const struct cps_thread *t, uint64_t period)
{
	const struct cps_perf_event event = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_TASK_CLOCK,
					     .period = period,
					     .tells_mode = cps_atoms_kernel() != 0,
					     .tells_chain =
						     cps_atoms_kernel() && cps_kernel_has_names()};

	return cps_perf_open(&event, t);
}

static uint64_t mean_of(const struct cps_thread *t)
{
	return cps_budget_interval(t, interval_ns << t->slower);
}

static int arm_event(struct cps_thread *t)
{
	uint64_t mean = mean_of(t), period = cps_clock_vary(t, mean, mean / 2);
	int fd = cps_perf_open_clock(t, period), error;
	void *page;

	if (fd < 0)
		return fd;
	if (!t->event_ticks)
		t->event_ticks = TICKS_LEAST;
	error = cps_perf_address(fd, t->tid);
	if (!error)
		error = cps_perf_raise(fd);
	if (!error)
		error = cps_atoms_kernel() ? cps_perf_map_mode(fd, &page) : cps_perf_map(fd, &page);
	if (!error) {
		cps_reading_begin(t, period);
		t->left_over = 0;
		/* Another thread may have resumed recording, and armed this one, since it took the
		 * event out. */
		t->event_fd = fd;
		cps_perf_end(atomic_exchange(&t->event, page));
		if (t == cps_thread_self()) /* otherwise the event may begin later */
			cps_reading_await(t, cps_clock_cpu());
		error = cps_perf_begin(fd, t->event_ticks);
	}
	cps_sys_close(fd);
	return error;
}

/* The thread itself ends its event, or another thread that stops all of them: the one that takes
 * the page out of `t` unmaps it. */
static void disarm(struct cps_thread *t)
{
	cps_perf_end(atomic_exchange(&t->event, NULL));
	t->period = 0;
	cps_clock_timer.disarm(t);
}

/* Chooses period and number of ticks for a thread's next event. Most ticks of an event are left
 * over also after a buffer was deflated, but that does not happen twice in a row. */
static void adapt(struct cps_thread *t)
{
	t->bad = t->left_over > t->event_ticks / 2 ? t->bad + 1 : 0;
	t->good = t->left_over ? 0 : t->good + 1;
	if (t->bad > 1 && t->slower < SLOWEST) {
		t->slower++;
		t->bad = 0;
	} else if (t->good > GOOD_ENOUGH && t->slower) {
		t->slower--;
		t->good = 0;
	}
	t->event_ticks = t->left_over ? TICKS_LEAST : 2 * t->event_ticks;
	if (t->event_ticks > TICKS_MOST)
		t->event_ticks = TICKS_MOST;
}

/* When the program has seen once that a tick ends a call that no wrapper sees, ticks come from timers. */
static int arm(struct cps_thread *t)
{
	if (!cps_interrupted_ever() && arm_event(t) == 0)
		return 0;
	disarm(t);
	return cps_clock_timer.arm(t);
}

/* Replaces an event. Another thread may have stopped the clock meanwhile, or be about to do so. */
static void renew(struct cps_thread *t)
{
	void *page = atomic_exchange(&t->event, NULL);

	if (!page)
		return;
	adapt(t);
	arm(t);
	cps_perf_end(
		page); /* last: while there is an event of a kind, another one is made quickly */
	if (!cps_gate_is_open() || cps_gate_is_paused())
		disarm(t);
}

/* The tick that was lost may have been the event's last one. */
static void renew_after_loss(struct cps_thread *t)
{
	t->left_over = t->event_ticks;
	renew(t);
}

static void stop(void)
{
	cps_perf_ignore_loss(renew_after_loss);
}

static int start(const struct cps_clock_settings *settings)
{
	int error = cps_perf_watch_loss(renew_after_loss);

	interval_ns = settings->interval_ns > PERIOD_LEAST ? settings->interval_ns : PERIOD_LEAST;
	return error ? error : cps_clock_start(&cps_clock_timer, settings);
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	if (t->has_timer)
		cps_clock_timer.meter->rearm(t, info);
	else if (!info || info->si_code == POLL_HUP || t->period < mean_of(t) / 3 ||
		 cps_interrupted_ever())
		renew(t); /* t->period: the budget has doubled the mean */
}

static bool is_in_call(const siginfo_t *info)
{
	return is_mine(info);
}

/* While its page is read, the event is nobody else's. Another thread may stop the clock meanwhile, or have stopped
 * it and started it again. */
static int mode(struct cps_thread *t, struct cps_kernel_chain *chain)
{
	void *page = atomic_exchange(&t->event, NULL), *none = NULL;
	int is_kernel;

	if (!page)
		return -1;
	is_kernel = cps_perf_mode(page);
	if (is_kernel > 0)
		cps_perf_chain(page, chain);
	if (!atomic_compare_exchange_strong(&t->event, &none, page))
		cps_perf_end(page);
	if (!cps_gate_is_open() || cps_gate_is_paused())
		disarm(t);
	return is_kernel;
}

static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.rearm = rearm,
	.mode = mode,
	.is_in_call = is_in_call,
	.scale = 1000,
};

const struct cps_clock cps_clock_perf = {
	.name = "perf",
	.resource = "cpu",
	.interval_ns = 1000000,
	.ticks_in_calls = true,
	.unit = "ns",
	.meter = &meter,
	.start = start,
	.stop = stop,
	.arm = arm,
	.disarm = disarm,
};
