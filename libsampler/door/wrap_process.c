/* SPDX-License-Identifier: MIT */
/*
 * wrap_process.c - follows a process through fork, and to an end without exit(3).
 *
 * In: fork, _Fork, clone, _exit, abort. Out: a recording for the child, the end of this process's. GNU
 * sort, for example, ends by _exit. vfork(2) is not wrapped, because its child shares our memory.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sys.h"
#include "door/door.h"
#include "door/life.h"
#include "signal/masked.h"

#define EXPORT __attribute__((visibility("default")))

/* Blocks the clock's signal. A signal that arrives while the kernel copies the process makes the
 * kernel begin again, so that it would never finish if ticks came faster than it takes to copy.
 * Recent C libraries block all signals themselves. */
static uint64_t block(void)
{
	const struct cps_clock *clock = cps_life_clock();
	uint64_t mask, before;

	if (!clock)
		return 0;
	mask = UINT64_C(1) << (clock->meter->signal - 1);
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, &mask, &before, sizeof(mask));
	return mask & ~before;
}

static void unblock(uint64_t mask)
{
	if (mask)
		CPS_SYS(rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof(mask));
}

/* What before_fork has blocked: the clock may be another one, or none, afterwards. A handler of the target's that
 * comes in between may fork, too. What is blocked then is the outer call's to unblock. */
static __thread uint64_t blocked;
static __thread unsigned forks; /* calls of fork that have not returned */
static __thread bool is_daemon, has_left;

static void before_fork(void)
{
	if (!forks++)
		blocked = block();
}

/* A handler may have left a call by longjmp, after which no mask of signals is as it was. */
static void end_fork(void)
{
	uint64_t mask = blocked;

	if (forks && --forks)
		return;
	blocked = 0;
	unblock(mask);
}

static void after_fork(void)
{
	if (is_daemon)
		has_left = cps_life_leave(CPS_STOP_NONE);
	end_fork();
}

/* The child may never go on with an outer call, of fork or one that is held. */
static void in_child(void)
{
	cps_life_child();
	unblock(blocked | cps_masked_held());
	end_fork();
}

uint64_t cps_wrap_process_blocked(void)
{
	return blocked;
}

static void call_end(void *unused)
{
	(void)unused;
	cps_life_end(CPS_STOP_NONE);
}

/* What pthread_atfork and at_quick_exit call, as weak symbols (find.h). */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *dso);
extern int __cxa_at_quick_exit(void (*f)(void *), void *dso);
#pragma weak __register_atfork
#pragma weak __cxa_at_quick_exit
extern __attribute__((visibility("hidden"))) void *__dso_handle;

int cps_wrap_process_prepare(void)
{
	int error = __register_atfork(before_fork, after_fork, in_child, &__dso_handle);

	return error ? error : __cxa_at_quick_exit(call_end, &__dso_handle);
}

/* _Fork does not call the handlers of pthread_atfork. */
EXPORT pid_t _Fork(void)
{
	uint64_t mask;
	pid_t pid;

	cps_door_open();
	if (!cps_door_real.fork_now)
		return fork();
	mask = block();
	pid = cps_door_real.fork_now();
	if (pid == 0)
		cps_life_child();
	unblock(pid == 0 ? mask | cps_masked_held() : mask);
	return pid;
}

/* The first process of daemon ends inside the C library, without a call that is wrapped. */
EXPORT int daemon(int no_chdir, int no_close)
{
	int result, error;

	cps_door_open();
	if (!cps_door_real.daemon) {
		errno = ENOSYS;
		return -1;
	}
	is_daemon = true;
	result = cps_door_real.daemon(no_chdir, no_close);
	error = errno;
	is_daemon = false;
	if (has_left)
		cps_life_return();
	has_left = false;
	errno = error;
	return result;
}

struct start {
	int (*routine)(void *);
	void *argument;
	uint64_t mask;
};

static int begin(void *argument)
{
	const struct start *start = argument;
	int status;

	cps_life_child();
	unblock(start->mask | cps_masked_held());
	status = start->routine(start->argument);
	cps_life_end(CPS_STOP_NONE);
	return status;
}

/* A child with memory of its own is recorded like one of fork's. Its copy of our frame stays valid
 * after we return. A child that shares memory is a thread, or like one of vfork's. */
EXPORT int clone(int (*routine)(void *), void *stack, int flags, void *argument, ...)
{
	struct start start = {routine, argument, 0};
	void *more[3];
	va_list list;
	int result, error;

	va_start(list, argument);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(list, void *);
	va_end(list);
	cps_door_open();
	if (!cps_door_real.clone) {
		errno = ENOSYS;
		return -1;
	}
	if (!routine || !cps_life_clock() || flags & CLONE_VM)
		return cps_door_real.clone(routine, stack, flags, argument, more[0], more[1],
					   more[2]);
	start.mask = block();
	result = cps_door_real.clone(begin, stack, flags, &start, more[0], more[1], more[2]);
	error = errno;
	unblock(start.mask);
	errno = error;
	return result;
}

EXPORT void _exit(int status)
{
	cps_life_end(CPS_STOP_NONE);
	if (cps_door_real.exit_now)
		cps_door_real.exit_now(status);
	for (;;)
		CPS_SYS(exit_group, status, 0, 0, 0);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

/* A process that no tick has met has no recording yet that would outlive it. A handler of the program's may leave this
 * call by longjmp, so that nothing ends here. */
EXPORT void abort(void)
{
	cps_door_open();
	cps_life_begin_late();
	if (cps_door_real.abort)
		cps_door_real.abort();
	for (;;)
		CPS_SYS(tgkill, cps_sys_getpid(), cps_sys_gettid(), SIGKILL, 0);
}
