/* SPDX-License-Identifier: MIT */
/*
 * wake.c - a library to be preloaded: it sends a signal to each thread in turn, as profilers of real time do.
 *
 * WAKE_US: microseconds of real time between two rounds of a thread that it makes, in which each
 * of the process's other threads gets a signal, whether it runs or sleeps. The handler does nothing, so what this
 * costs is what no profiler of that kind can avoid.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NUMBER		 (SIGRTMIN + 1)
#define ROUNDS_OF_A_LIST 100

static struct timespec between;

static void handler(int number)
{
	(void)number;
}

/* The other threads of this process, as many as there is room for. */
static int others(pid_t *tids, int room)
{
	DIR *tasks = opendir("/proc/self/task");
	pid_t self = (pid_t)syscall(SYS_gettid);
	int n = 0;

	for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
		pid_t tid = (pid_t)atoi(task->d_name);

		if (tid > 0 && tid != self && n < room)
			tids[n++] = tid;
	}
	if (tasks)
		closedir(tasks);
	return n;
}

static void *wake(void *unused)
{
	pid_t tids[256];
	int n = 0;

	for (unsigned i = 0;; i++) {
		if (i % ROUNDS_OF_A_LIST == 0)
			n = others(tids, 256);
		for (int k = 0; k < n; k++)
			syscall(SYS_tgkill, getpid(), tids[k], NUMBER);
		nanosleep(&between, NULL);
	}
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	const char *us = getenv("WAKE_US");
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigset_t all, before;
	pthread_t thread;

	if (!us)
		return;
	between.tv_sec = atol(us) / 1000000;
	between.tv_nsec = atol(us) % 1000000 * 1000;
	sigaction(NUMBER, &action, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_create(&thread, NULL, wake, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
