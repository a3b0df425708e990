/* SPDX-License-Identifier: MIT */
/*
 * middle.c - a deep stack of which only frames in the middle change, and the innermost one with them.
 *
 * middle TIMES DEPTH: sends itself two signals each time. left() and right() have the same frame, and what
 * they call is called from the same place with the same stack pointer; left_end() is only ever
 * called below left(), right_end() below right().
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sink;
static int is_left;

static void left_end(void)
{
	raise(SIGPROF);
	sink++;
}

static void right_end(void)
{
	raise(SIGPROF);
	sink += 2;
}

static void inner(unsigned n)
{
	if (n)
		inner(n - 1);
	else if (is_left)
		left_end();
	else
		right_end();
	sink++;
}

static void left(unsigned n)
{
	inner(n);
	sink++;
}

static void right(unsigned n)
{
	inner(n);
	sink += 2;
}

static void outer(unsigned n, unsigned below)
{
	if (n)
		outer(n - 1, below);
	else if (is_left)
		left(below);
	else
		right(below);
	sink++;
}

int main(int argc, char **argv)
{
	unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned depth = argc > 2 ? (unsigned)atoi(argv[2]) : 100;

	for (unsigned long i = 0; i < 2 * times; i++) {
		is_left = i & 1;
		outer(depth, depth);
	}
	printf("%lu of each\n", times);
	return 0;
}
