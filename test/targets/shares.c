/* SPDX-License-Identifier: MIT */
/*
 * shares.c - burns CPU time in known shares, measured by itself.
 *
 * shares SECONDS SEED: three functions burn 70, 20 and 10 %, called by two callers that take 60 and
 * 40 %. Who calls whom, and for how long, is drawn anew for each slice of some 0.3 ms, so that no
 * pattern can fall in step with a sampling clock. Prints what was really used:
 *
 *   self FUNCTION NS   (per function)   total CALLER NS   (per caller)   process NS
 */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static uint64_t state;
static uint64_t self_ns[3], total_ns[2];

/* xorshift64* */
static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 32) % below;
}

static uint64_t seventy(uint64_t x, unsigned long turns)
{
	return burn(x, turns);
}

static uint64_t twenty(uint64_t x, unsigned long turns)
{
	return burn(x, turns) + 1;
}

static uint64_t ten(uint64_t x, unsigned long turns)
{
	return burn(x, turns) + 2;
}

static uint64_t (*const burner[3])(uint64_t, unsigned long) = {seventy, twenty, ten};

/* What a caller does, in the caller's own frame. The clock is read next to the burner: reading it
 * costs a system call, which is no part of what the burner uses. */
static inline __attribute__((always_inline)) uint64_t slice(unsigned which, unsigned long turns)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t x = burner[which](begin, turns);

	self_ns[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	return x;
}

static uint64_t left(unsigned which, unsigned long turns)
{
	return slice(which, turns) + 3;
}

static uint64_t right(unsigned which, unsigned long turns)
{
	return slice(which, turns) + 4;
}

static uint64_t (*const caller[2])(unsigned, unsigned long) = {left, right};

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + seconds * 1000000000;
	uint64_t now, x = 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
	while ((now = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < end) {
		uint64_t n = draw(100), m = draw(100);
		unsigned who = m >= 60;

		x += caller[who](n < 70 ? 0 : n < 90 ? 1 : 2, 40000 + draw(400000));
		total_ns[who] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - now;
	}
	printf("self seventy %llu\nself twenty %llu\nself ten %llu\n",
	       (unsigned long long)self_ns[0], (unsigned long long)self_ns[1],
	       (unsigned long long)self_ns[2]);
	printf("total left %llu\ntotal right %llu\n", (unsigned long long)total_ns[0],
	       (unsigned long long)total_ns[1]);
	printf("process %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return x == 42;
}
