/* SPDX-License-Identifier: MIT */
/*
 * wrap_seccomp.c - notices when the target forbids itself system calls, or the cycle counter.
 *
 * In: prctl, and seccomp by way of wrap_syscall.c. Out: a recording that has ended before the
 * filter is installed, unless it is to go on (doc/decisions/0056). A filter may kill the process
 * for the handler's system calls. Syscall User Dispatch would, too: what the program has not made
 * itself raises SIGSYS.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "process/process_life.h"
#include "process/start.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/sample.h"
#include "stream/recording.h"
#include "stream/thread.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

#define EXPORT __attribute__((visibility("default")))

static bool goes_on;

/* The recorder may have been started under a filter, as in containers. */
void cps_wrap_seccomp_prepare(bool outlives_filter)
{
	goes_on = outlives_filter;
	if (!goes_on && CPS_SYS(prctl, PR_GET_SECCOMP, 0, 0, 0) != 0)
		cps_copy_confine();
}

/* The kernel has what the target wants of the clock's signal, too. */
static bool leave(enum cps_stop why)
{
	const struct cps_clock *clock = cps_process_life_clock();

	if (!cps_process_life_leave(why))
		return false;
	cps_disposition_give_back(clock->meter->signal);
	return true;
}

static void come_back(void)
{
	cps_disposition_take(cps_process_life_clock()->meter->signal, cps_sample_handler);
	cps_process_life_return();
}

/* What was done before a filter is installed, to be undone if that fails. */
struct step {
	bool is_last; /* nothing of ours is to come after it; a child of vfork says nothing of its parent */
	bool has_left, has_unwatched, is_dispatch;
};

/* Of a recording that has ended before, a handler may be at work in another thread. */
static void confine(void)
{
	cps_copy_confine();
	cps_sample_confine();
	if (!cps_gate_is_open())
		cps_thread_wait_for_handlers();
}

static struct step step_aside(void)
{
	struct step step = {0};

	if (!goes_on) {
		confine();
		step.has_left = leave(CPS_STOP_SECCOMP);
		step.is_last = step.has_left || !cps_process_life_clock();
		return step;
	}
	if (!cps_process_life_is_recorded())
		return step;
	cps_sample_filter();
	step.has_unwatched = cps_eintr_restart_unwatch();
	if (step.has_unwatched)
		cps_wrap_syscall_watch(false);
	cps_recording_ready(); /* the filter may refuse to create files */
	cps_recording_flush();
	return step;
}

/* Nothing of ours may come into the thread from now on. Exec ends the dispatch, so the next program is recorded. */
static void step_aside_for_dispatch(struct step *step)
{
	step->is_dispatch = true;
	step->has_left = leave(CPS_STOP_DISPATCH);
	step->is_last = step->has_left || !cps_process_life_clock();
}

static bool is_confined;

bool cps_wrap_seccomp_is_confined(void)
{
	return is_confined;
}

static void have_stepped_aside(struct step step, bool has_failed)
{
	int error = errno;

	if (step.has_unwatched && has_failed) {
		cps_eintr_restart_watch();
		cps_wrap_syscall_watch(true);
	}
	if (step.is_last && !has_failed) {
		is_confined |= cps_eintr_restart_has_ticks() && !step.is_dispatch;
		cps_sample_confine();
		cps_eintr_restart_expect_none();
		cps_wrap_syscall_watch(false);
	}
	if (step.has_left && has_failed)
		come_back();
	else if (step.has_left)
		cps_process_life_forget();
	errno = error;
}

/* Calling it with a filter that is NULL only asks whether filters are possible. */
EXPORT int prctl(int option, ...)
{
	struct step step = {0};
	unsigned long a[4];
	va_list list;
	int result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	cps_start();
	if (!cps_real.prctl) {
		errno = ENOSYS;
		return -1;
	}
	if (option == PR_SET_SECCOMP && (a[0] == SECCOMP_MODE_STRICT || a[1]))
		step = step_aside();
	if (option == PR_SET_SYSCALL_USER_DISPATCH && a[0])
		step_aside_for_dispatch(&step);
	if (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV) {
		cps_moment_ask_kernel();
		cps_eintr_restart_find_clock();
	}
	result = cps_real.prctl(option, a[0], a[1], a[2], a[3]);
	have_stepped_aside(step, result != 0);
	return result;
}

long cps_wrap_seccomp(unsigned long operation, unsigned long flags, const void *filter)
{
	struct step step = {0};
	long result;

	cps_start();
	if (operation == SECCOMP_SET_MODE_STRICT ||
	    (operation == SECCOMP_SET_MODE_FILTER && filter))
		step = step_aside();
	result = cps_real.syscall(SYS_seccomp, operation, flags, filter);
	/* A positive result is a thread that could not be synchronised, or the descriptor of a
	 * listener. */
	have_stepped_aside(
		step, result < 0 || (result > 0 && !(flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)));
	return result;
}
