/* SPDX-License-Identifier: MIT */
/*
 * burn.h - CPU time spent on purpose, in the function that asks for it.
 */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <time.h>

/* A macro, so that the time is the caller's own: even a function that is inlined has its name in the
 * debug information. The value is what must not be optimised away. */
#define burn(seed, turns)                                                                          \
	({                                                                                         \
		uint64_t burn_x = (seed);                                                          \
		for (unsigned long burn_left = (turns); burn_left > 0; burn_left--) {              \
			burn_x ^= burn_x << 13;                                                    \
			burn_x ^= burn_x >> 7;                                                     \
			burn_x ^= burn_x << 17;                                                    \
			__asm__ volatile("" : "+r"(burn_x));                                       \
		}                                                                                  \
		burn_x;                                                                            \
	})

/*
 * About 5 ms of it. A loop that reads its CPU clock is put aside by the scheduler as soon as its
 * slice is over, not at the next tick; on a machine that is busy with other work such a loop, if
 * its turns are short, runs between the ticks and is hardly ever met by one.
 */
#define BURN_LONG 4000000ul

static inline uint64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Uses so much CPU time of the thread, and looks at its clock every so many turns. */
static __attribute__((noinline, unused)) void burn_for(uint64_t ms, unsigned long turns)
{
	static volatile uint64_t sink;
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		sink = burn(sink + 1, turns);
}

#endif
