/* SPDX-License-Identifier: MIT */
/*
 * no_counter.c - forbids itself the cycle counter, and works on.
 *
 * no_counter TIMES [bare]: sends itself so many signals with the counter, and as many without it;
 * `bare`: forbidden by syscall(2).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;

	for (unsigned long i = 0; i < times; i++)
		raise(SIGPROF);
	if (argc > 2 ? syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0)
		     : prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return 77;
	for (unsigned long i = 0; i < times; i++)
		raise(SIGPROF);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	printf("%lu and %lu\n", times, times);
	return 0;
}
