/* SPDX-License-Identifier: MIT */
/*
 * phase.c - programs whose rhythm is that of the kernel's tick, or that live shorter than it.
 *
 * phase wall US SECONDS: never sleeps, and changes by the time of day between two functions, the first
 * of which has three tenths of each US microseconds. phase sleep SECONDS: works 0.3 ms in one function
 * and 0.7 ms in the other, and sleeps for 0.2 ms. phase threads N: N threads, one after the other,
 * which use 2 ms in one function and 1 ms in the other. Prints what they have really used:
 *
 *   FUNCTION NS (per function)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

#define TURNS 2000ul /* between two looks at the time; about 3 us */

static uint64_t used_ns[2], sink;

/* Each works until the clock is at the end. */
static __attribute__((noinline)) uint64_t first(clockid_t clock, uint64_t end, uint64_t x)
{
	while (cpu_ns(clock) < end)
		x = burn(x + 1, TURNS);
	return x;
}

static __attribute__((noinline)) uint64_t second(clockid_t clock, uint64_t end, uint64_t x)
{
	while (cpu_ns(clock) < end)
		x = burn(x + 1, TURNS) + 1;
	return x;
}

/* Measures a call. */
static void work(unsigned which, clockid_t clock, uint64_t end)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t x = (which ? second : first)(clock, end, begin);

	sink += x;
	used_ns[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void by_wall(uint64_t period, uint64_t seconds)
{
	uint64_t now = cpu_ns(CLOCK_MONOTONIC), end = now + seconds * 1000000000, begin;

	while ((now = cpu_ns(CLOCK_MONOTONIC)) < end) {
		begin = now / period * period;
		if (now - begin < period / 10 * 3)
			work(0, CLOCK_MONOTONIC, begin + period / 10 * 3);
		work(1, CLOCK_MONOTONIC, begin + period);
	}
}

static void work_for(unsigned which, uint64_t ns)
{
	work(which, CLOCK_THREAD_CPUTIME_ID, cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns);
}

static void with_sleep(uint64_t seconds)
{
	const struct timespec sleep = {0, 200000};

	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < seconds * 1000000000) {
		work_for(0, 300000);
		work_for(1, 700000);
		nanosleep(&sleep, NULL);
	}
}

static void *live_shortly(void *unused)
{
	work_for(0, 2000000);
	work_for(1, 1000000);
	return unused;
}

static void by_threads(unsigned long n)
{
	pthread_t thread;

	while (n--)
		if (pthread_create(&thread, NULL, live_shortly, NULL) == 0)
			pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc > 3 && strcmp(argv[1], "wall") == 0)
		by_wall(n * 1000, strtoul(argv[3], NULL, 10));
	else if (argc > 2 && strcmp(argv[1], "sleep") == 0)
		with_sleep(n);
	else if (argc > 2 && strcmp(argv[1], "threads") == 0)
		by_threads(n);
	else
		return 2;
	printf("first %llu\nsecond %llu\n", (unsigned long long)used_ns[0],
	       (unsigned long long)used_ns[1]);
	return sink == 42;
}
