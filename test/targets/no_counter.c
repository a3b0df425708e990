/* SPDX-License-Identifier: MIT */
/*
 * no_counter.c - forbids itself the cycle counter, and works on.
 *
 * no_counter TIMES [bare]: sends itself so many signals with the counter, and as many without it, and waits with time
 * limits; `bare`: forbidden by syscall(2).
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Each call has a limit from its beginning on, by the C library and by its number. */
static int wait_for_a_while(void)
{
	const struct timespec ms = {0, 1000000};
	struct timeval us = {0, 1000};

	return poll(NULL, 0, 1) || ppoll(NULL, 0, &ms, NULL) || select(0, NULL, NULL, NULL, &us) ||
	       usleep(1000) || nanosleep(&ms, NULL) || syscall(SYS_ppoll, NULL, 0, &ms, NULL, 8);
}

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
	if (wait_for_a_while())
		return 1;
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	printf("%lu and %lu\n", times, times);
	return 0;
}
