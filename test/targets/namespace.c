/* SPDX-License-Identifier: MIT */
/*
 * namespace.c - a process whose child is process 1 of a new namespace, as it may be itself.
 *
 * namespace MS [vfork]: spends MS of CPU time before the child, as much in it and twice as much after it.
 * The child of vfork executes a program that uses none. Exits with 77 if it may not make a namespace.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile uint64_t sink;

static void before(uint64_t ms)
{
	burn_for(ms, BURN_LONG);
	sink++;
}

static void within(uint64_t ms)
{
	burn_for(ms, BURN_LONG);
	sink += 2;
}

static void after(uint64_t ms)
{
	burn_for(2 * ms, BURN_LONG);
	sink++;
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	pid_t child;
	int status;

	before(ms);
	if (unshare(CLONE_NEWPID))
		return 77;
	if (argc > 2 && strcmp(argv[2], "vfork") == 0) {
		child = vfork();
		if (child == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
	} else {
		child = fork();
	}
	if (child == 0) {
		within(ms);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	after(ms);
	printf("%d %d\n", (int)getpid(), status);
	return 0;
}
