/* SPDX-License-Identifier: MIT */
/*
 * recurse.c - raises SIGPROF at the bottom of a recursion, and says how much CPU time that took.
 *
 * recurse DEPTH SIGNALS [same | inner | whole]: descend() stands DEPTH times on the stack.
 *
 * same     all signals come at one place, so the stack does not change between them
 * inner    one to seven of the innermost frames change from signal to signal
 * whole    the recursion begins anew for each signal, from two places in turn: the program has left
 *          all frames in between, and the outermost ones differ
 *
 * With `empty` in the environment variable RECURSE_HANDLER the program handles the signal itself,
 * and does nothing. Prints nanoseconds of CPU time per signal.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long n_signals;
static volatile unsigned long below;

static void nothing(int number)
{
	(void)number;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What comes after each call keeps the frame: no tail calls. */
static void left(unsigned long n);

static void right(unsigned long n)
{
	if (n)
		left(n - 1);
	else
		raise(SIGPROF);
	below++;
}

static void left(unsigned long n)
{
	if (n)
		right(n - 1);
	else
		raise(SIGPROF);
	below++;
}

static void one_same(unsigned long i)
{
	(void)i;
	raise(SIGPROF);
}

static void one_inner(unsigned long i)
{
	if (i & 1)
		left(i % 7);
	else
		right(i % 5);
}

static double send(void (*one)(unsigned long i))
{
	double before;

	for (unsigned long i = 0; i < n_signals / 100; i++) /* warm up */
		one(i);
	before = cpu_ns();
	for (unsigned long i = 0; i < n_signals; i++)
		one(i);
	return (cpu_ns() - before) / (double)n_signals;
}

static double descend_and_send(unsigned long depth, void (*one)(unsigned long i))
{
	double result = depth > 1 ? descend_and_send(depth - 1, one) : send(one);

	below++;
	return result;
}

static unsigned long whole_depth;

static void descend(unsigned long depth)
{
	if (depth > 1)
		descend(depth - 1);
	else
		raise(SIGPROF);
	below++;
}

static void one_whole(unsigned long i)
{
	if (i & 1)
		descend(whole_depth);
	else
		descend(whole_depth);
}

int main(int argc, char **argv)
{
	const char *handler = getenv("RECURSE_HANDLER"), *kind = argc > 3 ? argv[3] : "same";
	double ns;

	if (argc < 3)
		return 2;
	if (handler && !strcmp(handler, "empty"))
		signal(SIGPROF, nothing);
	whole_depth = strtoul(argv[1], NULL, 10);
	n_signals = strtoul(argv[2], NULL, 10);
	if (!strcmp(kind, "whole"))
		ns = send(one_whole);
	else
		ns = descend_and_send(whole_depth, strcmp(kind, "inner") ? one_same : one_inner);
	printf("%.1f\n", ns);
	return 0;
}
