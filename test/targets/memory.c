/* SPDX-License-Identifier: MIT */
/*
 * memory.c - four threads with ever new stacks, in a process that watches its own size.
 *
 * 	memory SECONDS [LINES]
 *
 * Each thread uses SECONDS of CPU time. Prints, LINES times at even distances (default 1), the
 * kilobytes that are resident, and at the end how many threads there are besides, and whether the C
 * library thought before the threads were made that there was one.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>

#include "burn.h"
#include "resident.h"

#define THREADS 4

static double seconds;
static int lines = 1;

static uint64_t fall(uint64_t x, unsigned depth);

static uint64_t left(uint64_t x, unsigned depth)
{
	return fall(x ^ depth, depth) + 1;
}

static uint64_t right(uint64_t x, unsigned depth)
{
	return fall(x + depth, depth) ^ 1;
}

/* Which way down is drawn anew each time: 2^40 stacks. */
static uint64_t fall(uint64_t x, unsigned depth)
{
	if (!depth)
		return burn(x, 20000);
	return x >> depth & 1 ? left(x, depth - 1) : right(x, depth - 1);
}

static void *work(void *watch)
{
	uint64_t x = (uintptr_t)&x;

	for (int i = 1; i <= lines; i++) {
		while ((double)cpu_ns(CLOCK_THREAD_CPUTIME_ID) < seconds * 1e9 * i / lines) {
			for (int k = 0; k < 100; k++)
				x = fall(x, 20 + x % 20);
		}
		if (watch) {
			printf("resident %ld\n", resident_kb());
			fflush(stdout);
		}
	}
	return NULL;
}

static int threads_now(void)
{
	DIR *directory = opendir("/proc/self/task");
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n - 2;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int alone = __libc_single_threaded, before = threads_now();

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* whether a huge page fits into a stack is chance */
	seconds = argc > 1 ? atof(argv[1]) : 1;
	lines = argc > 2 ? atoi(argv[2]) : 1;
	for (int i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(threads);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("threads %d, alone %d\n", before, alone);
	return 0;
}
