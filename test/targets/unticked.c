/* SPDX-License-Identifier: MIT */
/*
 * unticked.c - uses CPU time without a tick, and ends in one of many ways.
 *
 * unticked MS WAY: blocks all signals past the C library, works for so many ms of CPU time, and ends: by exit, _exit,
 * quick_exit, syscall (exit_group), abort, exec (of itself, with 0 ms), failing (an exec that fails, then exit), or thread
 * (another thread works, too, and the last one ends the process).
 * unticked MS later: has worked for as long with its signals as they are, and ends by abort.
 * unticked MS traced: a child works so, with its signals as they are, under a debugger that swallows them, and ends by _exit.
 *
 * Standard output says how many ns the process has used until it is about to end, or one of its threads is; and then the debugger.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t used_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void work(clockid_t clock, uint64_t ns)
{
	volatile unsigned n = 0;
	uint64_t end = used_ns(clock) + ns;

	while (used_ns(clock) < end)
		for (int i = 0; i < 10000; i++)
			n += (unsigned)i;
	(void)n;
}

static void say(void)
{
	printf("%llu\n", (unsigned long long)used_ns(CLOCK_PROCESS_CPUTIME_ID));
	fflush(stdout);
}

static void block_all(void)
{
	unsigned long all = ~0ul;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
}

static void *work_also(void *ns)
{
	block_all();
	work(CLOCK_THREAD_CPUTIME_ID, *(uint64_t *)ns);
	say();
	return NULL;
}

static void end_by(const char *way, char *self)
{
	char none[] = "0", *arguments[] = {self, none, NULL};

	if (strcmp(way, "_exit") == 0)
		_exit(0);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(way, "syscall") == 0)
		syscall(SYS_exit_group, 0);
	if (strcmp(way, "abort") == 0 || strcmp(way, "later") == 0)
		abort();
	if (strcmp(way, "exec") == 0)
		execv(self, arguments);
	if (strcmp(way, "failing") == 0)
		execv("/nonexistent", arguments);
	exit(0);
}

/* Passes on no signal that the child gets. */
static int swallow(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, child, NULL, NULL);
	say();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int trace(uint64_t ns)
{
	pid_t child = fork();

	if (child)
		return swallow(child);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	work(CLOCK_PROCESS_CPUTIME_ID, ns);
	say();
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t ns = argc > 1 ? (uint64_t)atoi(argv[1]) * 1000000 : 0;
	const char *way = argc > 2 ? argv[2] : "exit";
	pthread_t thread;

	if (strcmp(way, "traced") == 0)
		return trace(ns);
	if (strcmp(way, "later") == 0)
		work(CLOCK_PROCESS_CPUTIME_ID, ns);
	block_all();
	if (strcmp(way, "thread") == 0) {
		pthread_create(&thread, NULL, work_also, &ns);
		work(CLOCK_THREAD_CPUTIME_ID, ns);
		say();
		pthread_exit(NULL);
	}
	work(CLOCK_PROCESS_CPUTIME_ID, ns);
	if (ns)
		say();
	end_by(way, argv[0]);
}
