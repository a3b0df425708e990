/* SPDX-License-Identifier: MIT */
/*
 * recurs.c - the same sequence of calls, made by twelve functions, whose share it measures itself.
 *
 * recurs SECONDS SEED: twelve functions call open_file, which calls parse, which calls validate;
 * that takes 62 % of the time. The rest is main -> prepare -> convert, which has one caller, and
 * main or one of the twelve -> load -> fetch, of which main makes 19 of 20. What comes next is
 * drawn anew for each slice of some 0.3 ms. Prints what was really used:
 *
 *   sequence NS   process NS
 */
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

#ifdef __clang__
#define CALLED __attribute__((noinline))
#else
#define CALLED __attribute__((noinline, noclone))
#endif

static uint64_t state, sequence_ns;

/* xorshift64* */
static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 32) % below;
}

/* What is added keeps the compiler from calling by a jump. */
CALLED static uint64_t validate(uint64_t x, unsigned long turns)
{
	return burn(x, turns) + 1;
}

CALLED static uint64_t parse(uint64_t x, unsigned long turns)
{
	return validate(x, turns) + 2;
}

CALLED static uint64_t open_file(uint64_t x, unsigned long turns)
{
	return parse(x, turns) + 3;
}

CALLED static uint64_t fetch(uint64_t x, unsigned long turns)
{
	return burn(x, turns) + 4;
}

CALLED static uint64_t load(uint64_t x, unsigned long turns)
{
	return fetch(x, turns) + 5;
}

CALLED static uint64_t convert(uint64_t x, unsigned long turns)
{
	return burn(x, turns) + 6;
}

CALLED static uint64_t prepare(uint64_t x, unsigned long turns)
{
	return convert(x, turns) + 7;
}

#define CALLER(n)                                                                                  \
	CALLED static uint64_t caller_##n(uint64_t x, unsigned long turns)                         \
	{                                                                                          \
		uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);                                  \
                                                                                                   \
		if (turns % 2)                                                                     \
			return load(x, turns) + n;                                                 \
		x = open_file(x, turns) + n;                                                       \
		sequence_ns += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;                            \
		return x;                                                                          \
	}

CALLER(1)
CALLER(2)
CALLER(3)
CALLER(4)
CALLER(5)
CALLER(6)
CALLER(7)
CALLER(8)
CALLER(9)
CALLER(10)
CALLER(11)
CALLER(12)

static uint64_t (*const callers[])(uint64_t, unsigned long) = {
	caller_1, caller_2, caller_3, caller_4,	 caller_5,  caller_6,
	caller_7, caller_8, caller_9, caller_10, caller_11, caller_12,
};

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + seconds * 1000000000, x = 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
		uint64_t n = draw(100);
		unsigned long turns = (40000 + draw(400000)) & ~1ul;

		if (n < 62)
			x += callers[draw(12)](x, turns);
		else if (n < 80)
			x += prepare(x, turns);
		else if (n < 99)
			x += load(x, turns);
		else
			x += callers[draw(12)](x, turns | 1);
	}
	printf("sequence %llu\nprocess %llu\n", (unsigned long long)sequence_ns,
	       (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return x == 42;
}
