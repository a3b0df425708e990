/* SPDX-License-Identifier: MIT */
/*
 * spend.c - runs a program and writes down what it has used, in all its processes: also in those
 * that it did not wait for.
 *
 * spend [-t SECONDS] [-e NAME=VALUE]... RESULT PROGRAM ARGUMENT...
 *
 * RESULT gets one line: nanoseconds of real time, microseconds of user and of system time, KiB of
 * memory at most, and the status of wait(2). Variables are set for the program alone, so that a
 * preloaded library is not loaded into this one. After SECONDS the program and its children are killed.
 *
 * This is no part of the Python scripts, because the kernel begins to count a child's greatest memory at
 * that of its parent, which is larger in Python than in many programs that are measured.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t child;
static int has_group;

static void stop(int number)
{
	(void)number;
	if (child > 0)
		kill(has_group ? -child : child, SIGKILL);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long us(struct timeval t)
{
	return t.tv_sec * 1000000LL + t.tv_usec;
}

/* The environment with one variable more, or another value of it. */
static char **with(char **env, char *setting)
{
	size_t n = 0, name = strcspn(setting, "=") + 1;
	char **more;

	while (env[n])
		n++;
	more = malloc((n + 2) * sizeof(*more));
	if (!more)
		exit(2);
	n = 0;
	for (; *env; env++)
		if (strncmp(*env, setting, name))
			more[n++] = *env;
	more[n++] = setting;
	more[n] = NULL;
	return more;
}

static pid_t start(char **argv, char **env, unsigned limit)
{
	posix_spawnattr_t attributes;
	pid_t pid;
	int error;

	posix_spawnattr_init(&attributes);
	has_group = limit > 0;
	if (has_group)
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	error = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, env);
	if (error) {
		fprintf(stderr, "spend: %s: %s\n", argv[0], strerror(error));
		exit(2);
	}
	child = pid;
	alarm(limit);
	return pid;
}

int main(int argc, char **argv)
{
	char **env = environ;
	unsigned limit = 0;
	struct rusage used;
	long long begin;
	int option, status;
	FILE *result;

	while ((option = getopt(argc, argv, "+t:e:")) != -1) {
		if (option == 't')
			limit = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'e')
			env = with(env, optarg);
		else
			return 2;
	}
	if (argc - optind < 2)
		return 2;
	signal(SIGALRM, stop);
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* perf leaves its addr2line behind */
	begin = now_ns();
	start(argv + optind + 1, env, limit);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 2;
	begin = now_ns() - begin;
	while (wait(NULL) > 0 || errno == EINTR)
		;
	getrusage(RUSAGE_CHILDREN, &used);
	result = fopen(argv[optind], "w");
	if (!result)
		return 2;
	fprintf(result, "%lld %lld %lld %ld %d\n", begin, us(used.ru_utime), us(used.ru_stime),
		used.ru_maxrss, status);
	return fclose(result) ? 2 : 0;
}
