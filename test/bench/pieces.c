/* SPDX-License-Identifier: MIT */
/*
 * pieces.c - does the same piece of work again and again, and says what each took: when it ended (CLOCK_MONOTONIC) and the CPU
 * time of the process, in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define DEPTH 30
#define STEPS 8000000

static volatile uint64_t sink;

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void work(int depth)
{
	if (depth)
		work(depth - 1);
	else
		for (int i = 0; i < STEPS; i++)
			sink += (uint64_t)i;
	sink++;
}

int main(void)
{
	for (;;) {
		uint64_t begin = ns_of(CLOCK_PROCESS_CPUTIME_ID), used;

		work(DEPTH);
		used = ns_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
		printf("%lu %lu\n", (unsigned long)ns_of(CLOCK_MONOTONIC), (unsigned long)used);
		fflush(stdout);
	}
}
