/* SPDX-License-Identifier: MIT */
/*
 * wait_children.h - the ways to wait for a child, for wait_calls.h. The child runs until it is killed, or until its
 * parent has ended.
 */
#include <sys/resource.h>

static atomic_int child;

static void make_child(void)
{
	pid_t parent = getpid(), pid;

	if (atomic_load(&child))
		return;
	pid = fork();
	if (pid == 0) {
		while (getppid() == parent)
			nap(1000000);
		_exit(0);
	}
	atomic_store(&child, pid);
	errno = UNTOUCHED;
}

/* 0 if that is the child, which was killed. */
static long reaped(long pid, int status)
{
	if (pid < 0)
		return -errno;
	if (pid != atomic_exchange(&child, 0))
		return -ESRCH;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : -ERANGE;
}

static long call_wait(void)
{
	int status = 0;
	pid_t pid;

	make_child();
	pid = wait(&status);
	return reaped(pid, status);
}

static long call_waitpid(void)
{
	int status = 0;
	pid_t pid;

	make_child();
	pid = waitpid(child, &status, 0);
	return reaped(pid, status);
}

static long call_wait3(void)
{
	struct rusage used;
	int status = 0;
	pid_t pid;

	make_child();
	pid = wait3(&status, 0, &used);
	return reaped(pid, status);
}

static long call_wait4(void)
{
	struct rusage used;
	int status = 0;
	pid_t pid;

	make_child();
	pid = wait4(child, &status, 0, &used);
	return reaped(pid, status);
}

static long call_waitid(void)
{
	siginfo_t info = {.si_pid = 0};
	long r;

	make_child();
	r = waitid(P_PID, (id_t)child, &info, WEXITED);
	return r ? -errno : reaped(info.si_pid, info.si_status);
}

/* Under load it may not be there yet, and 0 would be the whole process group, with the test. */
static void end_child(pthread_t waiter)
{
	pid_t one;

	(void)waiter;
	while (!(one = atomic_load(&child)) && !atomic_load(&done))
		nap(100000);
	if (one > 0)
		kill(one, SIGKILL);
}
