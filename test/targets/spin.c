/* SPDX-License-Identifier: MIT */
/*
 * spin.c - uses CPU time, says so and ends as it was told.
 *
 * spin MS [STATUS [DIRECTORY]]: changes to DIRECTORY, uses MS of CPU time, and up to 5 more, in
 * spin_inner(), called by spin_outer(); prints a line; exits with STATUS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

static uint64_t spin_inner(uint64_t x)
{
	return burn(x, BURN_LONG);
}

static uint64_t spin_outer(uint64_t ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000, x = 0, now;

	while ((now = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < end)
		x += spin_inner(now);
	return x;
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	int status = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 3 && chdir(argv[3]))
		return 99;
	if (spin_outer(ms) == 42)
		return 98;
	puts("spun");
	return status;
}
