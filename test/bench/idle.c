/* SPDX-License-Identifier: MIT */
/*
 * idle.c - waits in some threads, as a server does that nobody asks for anything.
 *
 * idle THREADS MS
 *
 * Prints after MS milliseconds the microseconds of CPU time that the process has taken since its
 * threads were made, how often threads have gone to sleep, and how often a wait was broken off by a
 * signal (EINTR).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static atomic_long interrupted;

static void *serve(void *unused)
{
	for (;;)
		if (poll(NULL, 0, -1) < 0 && errno == EINTR)
			interrupted++;
	return unused;
}

static long us(struct timeval t)
{
	return t.tv_sec * 1000000 + t.tv_usec;
}

/* Sleeps until so many milliseconds have passed, signals or not. */
static void rest(long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		interrupted++;
}

int main(int argc, char **argv)
{
	struct rusage before, after;

	if (argc != 3)
		return 2;
	for (int i = atoi(argv[1]); i > 0; i--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, serve, NULL))
			return 1;
	}
	rest(50);
	getrusage(RUSAGE_SELF, &before);
	rest(atol(argv[2]));
	getrusage(RUSAGE_SELF, &after);
	printf("%ld %ld %ld\n",
	       us(after.ru_utime) + us(after.ru_stime) - us(before.ru_utime) - us(before.ru_stime),
	       after.ru_nvcsw - before.ru_nvcsw, (long)interrupted);
	return 0;
}
