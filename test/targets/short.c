/* SPDX-License-Identifier: MIT */
/*
 * short.c - uses little CPU time in many ways, or starts processes that do and says what the kernel has counted.
 *
 * short burn US [PROGRAM ARGUMENT...]: uses US of CPU time since the process was made, and becomes PROGRAM.
 * short killed US: uses it, and is killed.
 * short root STATIC SCRIPT: starts many of these, and a static program and a script, waits for each, and prints a line for it:
 * its number, what it was, what the kernel has counted of it (ns), and the least it has used (ns). At the end the same of all
 * children together, without those of an earlier program of the process.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define CHILDREN 300

extern char **environ;

static void use(uint64_t us)
{
	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < us * 1000)
		burn(us, 100);
}

static uint64_t used_ns(const struct rusage *u)
{
	return ((uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 +
		(uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec)) *
	       1000;
}

enum way { FORK, VFORK, SPAWN };

static pid_t start(enum way way, const char **list)
{
	char **argv = (char **)(uintptr_t)list;
	pid_t pid = -1;

	if (way == SPAWN)
		return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) ? -1 : pid;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	pid = way == FORK ? fork() : vfork();
#pragma GCC diagnostic pop
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static void end(pid_t pid, const char *what, uint64_t us)
{
	struct rusage u;
	int status;

	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		exit(99);
	printf("%d %s %llu %llu\n", pid, what, (unsigned long long)used_ns(&u),
	       (unsigned long long)us * 1000);
}

static void run(enum way way, const char *what, uint64_t us, const char **argv)
{
	end(start(way, argv), what, us);
}

static int root(char *self, char *statically, char *script)
{
	struct rusage u;
	char number[32];
	uint64_t before;
	pid_t pid;

	getrusage(RUSAGE_CHILDREN, &u);
	before = used_ns(&u);
	for (unsigned i = 0; i < CHILDREN; i++) {
		uint64_t us = 500 + i * 1973 % 4500;

		snprintf(number, sizeof(number), "%llu", (unsigned long long)us);
		run(i % 3 == 0	 ? FORK
		    : i % 3 == 1 ? VFORK
				 : SPAWN,
		    "burn", us, (const char *[]){self, "burn", number, NULL});
	}
	run(SPAWN, "chain", 25000,
	    (const char *[]){self, "burn", "5000", self, "burn", "15000", self, "burn", "25000",
			     NULL});
	run(SPAWN, "script", 0, (const char *[]){script, NULL});
	run(SPAWN, "killed", 2000, (const char *[]){self, "killed", "2000", NULL});
	run(SPAWN, "static", 3000, (const char *[]){statically, "burn", "3000", NULL});
	/* A program that is not there costs nothing, and is no program. */
	run(VFORK, "absent", 0, (const char *[]){"/nowhere/at/all", NULL});
	pid = fork();
	if (pid == 0) {
		use(2500);
		_exit(0);
	}
	end(pid, "forked", 2500);
	getrusage(RUSAGE_CHILDREN, &u);
	printf("0 all %llu 0\n", (unsigned long long)(used_ns(&u) - before));
	use(400000);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "root"))
		return root(argv[0], argv[2], argv[3]);
	if (argc < 3)
		return 98;
	use(strtoull(argv[2], NULL, 10));
	if (!strcmp(argv[1], "killed"))
		raise(SIGKILL);
	if (argc > 3)
		execv(argv[3], argv + 3);
	return argc > 3 ? 97 : 0;
}
