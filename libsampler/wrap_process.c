/* SPDX-License-Identifier: MIT */
/*
 * wrap_process.c - follows a process through fork, and to an end without exit(3).
 *
 * Room: door. In: fork, _Fork, clone, _exit. Out: a recording for the child, an end for this one. GNU
 * sort ends by _exit. A child of vfork(2), which shares our memory, goes straight through.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "disposition.h"
#include "door.h"
#include "life.h"
#include "sys.h"

#define EXPORT __attribute__((visibility("default")))

/* A signal that arrives while the kernel copies the process makes it begin again: with ticks more frequent than a
 * copy takes, it would never finish. Recent C libraries block all signals themselves. */
static __thread uint64_t mask_before;

static uint64_t our_signal(void)
{
	return UINT64_C(1) << (cps_life_clock()->meter->signal - 1);
}

static void before_fork(void)
{
	uint64_t mask;

	if (!cps_life_clock())
		return;
	mask = our_signal();
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, &mask, &mask_before, sizeof(mask));
}

static void after_fork(void)
{
	uint64_t mask;

	if (!cps_life_clock())
		return;
	mask = our_signal();
	if (!(mask_before & mask))
		CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

static void in_child(void)
{
	cps_life_child();
	after_fork();
}

static void end(void)
{
	cps_life_end(CPS_STOP_NONE);
}

int cps_wrap_process_prepare(void)
{
	int error = pthread_atfork(before_fork, after_fork, in_child);

	return error ? error : at_quick_exit(end);
}

/* No handlers of pthread_atfork run here. */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	cps_door_open();
	if (!cps_real.fork_now)
		return fork();
	pid = cps_real.fork_now();
	if (pid == 0)
		cps_life_child();
	return pid;
}

struct start {
	int (*routine)(void *);
	void *argument;
};

static int begin(void *argument)
{
	const struct start *start = argument;

	cps_life_child();
	return start->routine(start->argument);
}

/* A process of its own memory is recorded like one of fork's; the child's copy of our frame outlives ours.
 * What shares memory is a thread, or like vfork. */
EXPORT int clone(int (*routine)(void *), void *stack, int flags, void *argument, ...)
{
	struct start start = {routine, argument};
	void *more[3];
	va_list list;

	va_start(list, argument);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	cps_door_open();
	if (!cps_real.clone) {
		errno = ENOSYS;
		return -1;
	}
	if (!routine || !cps_life_clock() || flags & CLONE_VM)
		return cps_real.clone(routine, stack, flags, argument, more[0], more[1], more[2]);
	return cps_real.clone(begin, stack, flags, &start, more[0], more[1], more[2]);
}

EXPORT void _exit(int status)
{
	cps_life_end(CPS_STOP_NONE);
	if (cps_real.exit_now)
		cps_real.exit_now(status);
	for (;;)
		CPS_SYS(exit_group, status, 0, 0, 0);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}
