/* SPDX-License-Identifier: MIT */
/*
 * storm.c - many threads take samples at the same time, at many depths, while others come and go.
 *
 * 	storm THREADS SIGNALS    each thread raises SIGPROF that often. Prints how many in all.
 *
 * The first signal of all comes while there is one thread: whoever finds the recording being
 * created counts a loss, and how many do is a matter of the disk.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long signals;
static volatile unsigned sink;

static void descend(unsigned depth)
{
	if (depth == 0)
		raise(SIGPROF);
	else
		descend(depth - 1);
	sink++;
}

static void *shout(void *argument)
{
	unsigned seed = (unsigned)(size_t)argument;

	for (unsigned long i = 0; i < signals; i++)
		descend((unsigned)rand_r(&seed) % 100);
	return NULL;
}

static void *live_shortly(void *argument)
{
	raise(SIGPROF);
	return argument;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 8;
	pthread_t threads[64], other;

	signals = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	live_shortly(NULL);
	for (size_t i = 0; i < n && i < 64; i++)
		if (pthread_create(&threads[i], NULL, shout, (void *)(i + 1)))
			return 1;
	for (int i = 0; i < 500; i++)
		if (pthread_create(&other, NULL, live_shortly, NULL) || pthread_join(other, NULL))
			return 1;
	for (size_t i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", n * signals + 501);
	return 0;
}
