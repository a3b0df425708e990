/* SPDX-License-Identifier: MIT */
/*
 * no_counter.c - forbids itself the cycle counter, and works on.
 *
 * no_counter TIMES: sends itself so many signals with the counter, and as many without it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;

	for (unsigned long i = 0; i < times; i++)
		raise(SIGPROF);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
		return 77;
	for (unsigned long i = 0; i < times; i++)
		raise(SIGPROF);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	printf("%lu and %lu\n", times, times);
	return 0;
}
