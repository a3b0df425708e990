/* SPDX-License-Identifier: MIT */
/*
 * deep.c - burns CPU time at the bottom of a deep recursion.
 *
 * deep FRAMES MS: descend() stands FRAMES times on the stack while bottom() uses MS of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static uint64_t bottom(uint64_t ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000, x = 1, now;

	while ((now = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < end)
		x += burn(now, 100000);
	return x;
}

/* The sum after the call keeps the frame: no tail call. */
static uint64_t descend(unsigned long frames, uint64_t ms)
{
	if (frames <= 1)
		return bottom(ms);
	return descend(frames - 1, ms) + frames;
}

int main(int argc, char **argv)
{
	unsigned long frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 500;

	printf("%lu frames\n", frames);
	return descend(frames, ms) == 42;
}
