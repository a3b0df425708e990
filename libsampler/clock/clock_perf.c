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
 * drawn within a tenth of the mean (doc/decisions/0014). No more signals than this number can wait,
 * which keeps the kernel's queue of signals free; all processes of a user share it. The number
 * grows while no tick has to wait. If ticks come faster than they can be handled, so that a thread
 * has no time for anything else, the thread gets longer periods until it has.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error_text.h"
#include "base/sys.h"
#include "clock/clock.h"
#include "clock/go_runtime.h"
#include "signal/budget.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/reading.h"
#include "unwind/regs.h"

#define PAGE 4096u
#define PERIOD_LEAST                                                                               \
	50000u		  /* ns; a tick takes 8 us on a virtual machine, most of it the kernel's */
#define TICKS_LEAST 128u  /* ticks of one event */
#define TICKS_MOST  256u  /* ticks of one event if they come in time; making one takes 100 us */
#define SLOWEST	    8u	  /* at most so many times is a thread's period doubled */
#define GOOD_ENOUGH 5u	  /* events without a left-over tick before periods become shorter again */
#define QUEUE_LEAST 1024u /* pending signals that must be allowed */

static uint64_t interval_ns;

static bool is_mine(const siginfo_t *info)
{
	return info->si_code == POLL_IN || info->si_code == POLL_HUP ||
	       cps_clock_timer.meter->is_mine(info);
}

/* The kernel gives each event a number of its own. */
static bool is_same_event(int a, int b)
{
	uint64_t x = 0, y = 0;

	return CPS_SYS(ioctl, a, PERF_EVENT_IOC_ID, &x, 0) == 0 &&
	       CPS_SYS(ioctl, b, PERF_EVENT_IOC_ID, &y, 0) == 0 && x == y;
}

/* Moves the event's descriptor out of the target's way. If the target has put a file of its own in its
 * place before, what was moved is no event, and there is none. */
static int settle(int fd)
{
	int moved = cps_descriptor_move(fd, is_same_event);

	if (fd < 0 || moved == fd || is_same_event(moved, moved))
		return moved;
	cps_sys_close(moved);
	return -EBADF;
}

/* The event also counts the time that the thread spends in the kernel. Without it, all of that time
 * would be credited to the place where the next tick meets the program. */
static int open_event(int tid, uint64_t period)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = period;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	return settle((int)cps_sys6(SYS_perf_event_open, (long)&attr, tid, -1, -1,
				    PERF_FLAG_FD_CLOEXEC, 0));
}

/* Makes each overflow of the event's counter send our signal to that thread. */
static int address(int fd, int tid)
{
	const struct f_owner_ex owner = {F_OWNER_TID, tid};
	int error = (int)CPS_SYS(fcntl, fd, F_SETOWN_EX, &owner, 0);

	return error ? error : (int)CPS_SYS(fcntl, fd, F_SETSIG, CPS_SIGNAL_OWN, 0);
}

static int map(int fd, void **page)
{
	long result = cps_sys6(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	*page = (void *)result;
	return result < 0 && result > -4096 ? (int)result : 0;
}

static uint64_t mean_of(const struct cps_thread *t)
{
	return cps_budget_interval(t, interval_ns << t->slower);
}

static int arm_event(struct cps_thread *t)
{
	uint64_t mean = mean_of(t), period = cps_clock_vary(t, mean, mean / 10);
	int fd = open_event(t->tid, period), error;
	void *page;

	if (fd < 0)
		return fd;
	if (!t->event_ticks)
		t->event_ticks = TICKS_LEAST;
	error = address(fd, t->tid);
	if (!error)
		error = (int)CPS_SYS(fcntl, fd, F_SETFL, O_ASYNC, 0);
	if (!error)
		error = map(fd, &page);
	if (!error) {
		cps_reading_begin(t, period);
		t->left_over = 0;
		/* Another thread may have resumed recording, and armed this one, since it took the
		 * event out. */
		page = atomic_exchange(&t->event, page);
		if (page)
			cps_sys_munmap(page, PAGE);
		if (t == cps_thread_self()) /* otherwise the event may begin later */
			cps_reading_await(t, cps_clock_cpu());
		error = (int)CPS_SYS(ioctl, fd, PERF_EVENT_IOC_REFRESH, t->event_ticks, 0);
	}
	cps_sys_close(fd);
	return error;
}

/* The thread itself ends its event, or another thread that stops all of them: the one that takes
 * the page out of `t` unmaps it. */
static void disarm(struct cps_thread *t)
{
	void *page = atomic_exchange(&t->event, NULL);

	if (page)
		cps_sys_munmap(page, PAGE);
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

static int arm(struct cps_thread *t)
{
	if (arm_event(t) == 0)
		return 0;
	disarm(t);
	return cps_clock_timer.arm(t);
}

static void stop(void)
{
	cps_disposition_give_back(SIGIO);
}

/* Replaces an event. Another thread may have stopped the clock meanwhile, or be about to do so. */
static void renew(struct cps_thread *t)
{
	void *page = atomic_exchange(&t->event, NULL);

	if (!page)
		return;
	cps_sys_munmap(page, PAGE);
	adapt(t);
	arm(t);
	if (!cps_gate_is_open() || cps_gate_is_paused())
		disarm(t);
}

/*
 * When the user has as many signals pending as are allowed, the kernel drops the tick and sends
 * SIGIO instead, which kills by default. The tick may have been the event's last one, so there is a
 * new event.
 */
static CPS_REGS_HANDLER void renew_after_loss(int number, siginfo_t *info, void *context)
{
	struct cps_thread *t = cps_thread_self();

	(void)number;
	(void)info;
	if (t && !atomic_load(&t->busy)) {
		t->left_over = t->event_ticks;
		renew(t);
	}
	cps_sample_note_interruption(context);
}

static int start(const struct cps_clock_settings *settings)
{
	int error = cps_disposition_take_default(SIGIO, renew_after_loss);

	interval_ns = settings->interval_ns > PERIOD_LEAST ? settings->interval_ns : PERIOD_LEAST;
	return error && error != -EBUSY ? error : cps_clock_start(&cps_clock_timer, settings);
}

/* ---- may we? --------------------------------------------------------------------------------- */
static int paranoia(void)
{
	int fd = cps_descriptor_open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY, 0), n;
	char text[16] = "";

	if (fd < 0)
		return -1;
	n = (int)cps_sys_read(fd, text, sizeof(text) - 1);
	cps_sys_close(fd);
	return n > 0 && text[0] >= '0' && text[0] <= '9' ? text[0] - '0' : -1;
}

static int explain(int error, const char *what, char *why, size_t bytes)
{
	char more[128] = "";

	if (error == -EACCES && paranoia() > 1)
		snprintf(more, sizeof(more),
			 " (kernel.perf_event_paranoid is %d; sysctl kernel.perf_event_paranoid=1 "
			 "or "
			 "CAP_PERFMON would allow it)",
			 paranoia());
	else if (error == -EPERM)
		snprintf(more, sizeof(more), " (by a seccomp filter, as containers have them?)");
	else if (error == -ENOSYS)
		snprintf(more, sizeof(more), " (a seccomp filter, or a kernel without it?)");
	snprintf(why, bytes, "%s: %s%s", what, cps_error_text(-error), more);
	return error;
}

/* Tries all that arming does, except that it asks for no signal: there is no handler yet. */
static int try_event(int fd, const char **what)
{
	int tid = cps_sys_gettid(), error = address(fd, tid);
	uint64_t count = 0;
	void *page;

	*what = "fcntl of a perf event";
	if (error)
		return error;
	error = map(fd, &page);
	*what = "mmap of a perf event";
	if (error)
		return error;
	cps_sys_munmap(page, PAGE);
	error = (int)CPS_SYS(ioctl, fd, PERF_EVENT_IOC_ENABLE, 0, 0);
	*what = "a perf event that is enabled";
	if (error)
		return error;
	return cps_sys_read(fd, &count, sizeof(count)) == sizeof(count) && count ? 0 : -ENODATA;
}

static int probe(const struct cps_clock_settings *settings, char *why, size_t bytes)
{
	const char *what = "perf_event_open";
	uint64_t limit[2];
	int error, fd;

	if (cps_go_runtime_is_here()) {
		snprintf(why, bytes,
			 "Go executes programs without the C library; a tick of perf might end "
			 "them");
		return -ENOTSUP;
	}
	if (CPS_SYS(prlimit64, 0, RLIMIT_SIGPENDING, NULL, limit) == 0 && limit[0] < QUEUE_LEAST) {
		snprintf(why, bytes,
			 "only %u signals may be pending (ulimit -i), perf needs room for %u",
			 (unsigned)limit[0], QUEUE_LEAST);
		return -EAGAIN;
	}
	fd = open_event(0, settings->interval_ns);
	if (fd < 0)
		return explain(fd, what, why, bytes);
	error = try_event(fd, &what);
	cps_sys_close(fd);
	return error ? explain(error, what, why, bytes) : 0;
}

static void rearm(struct cps_thread *t, const siginfo_t *info)
{
	if (t->has_timer)
		cps_clock_timer.meter->rearm(t, info);
	else if (!info || info->si_code == POLL_HUP || t->period < mean_of(t) / 4 * 3)
		renew(t); /* in the last case the budget has doubled the mean */
}

static const struct cps_meter meter = {
	.signal = CPS_SIGNAL_OWN,
	.is_mine = is_mine,
	.read = cps_clock_cpu,
	.read_of = cps_clock_cpu_of,
	.rearm = rearm,
	.scale = 1000,
};

const struct cps_clock cps_clock_perf = {
	.name = "perf",
	.resource = "cpu",
	.is_periodic = true,
	.ticks_in_calls = true,
	.unit = "ns",
	.meter = &meter,
	.fallback = &cps_clock_timer,
	.probe = probe,
	.start = start,
	.stop = stop,
	.arm = arm,
	.disarm = disarm,
};
