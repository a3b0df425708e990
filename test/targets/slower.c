/* SPDX-License-Identifier: MIT */
/*
 * slower.c - takes a tenth more time in one function when it is told to.
 *
 * slower ROUNDS [PERCENT]: parse, normalise and write_out work in turn; normalise does 100 or PERCENT parts of its
 * work, which is a quarter of all.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

static void work(unsigned long n)
{
	unsigned x = sink;

	for (unsigned long i = 0; i < n; i++)
		x = x * 1664525u + 1013904223u;
	sink = x;
}

static void parse(void)
{
	for (int i = 0; i < 100; i++)
		work(1000);
}

static void normalise(unsigned long parts)
{
	unsigned x = sink;

	for (unsigned long i = 0; i < parts * 500; i++)
		x = x * 22695477u + 1u;
	sink = x;
}

static void write_out(void)
{
	for (int i = 0; i < 50; i++)
		work(900);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long parts = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;

	while (rounds--) {
		parse();
		normalise(parts);
		write_out();
	}
	printf("%u\n", sink);
	return 0;
}
