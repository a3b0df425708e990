/* SPDX-License-Identifier: MIT */
/* count N [threads|fork|pause]: N calls of small, which counts 1 request each, and N / 3 of large, which counts 9.
 * Threads: in each of four threads. fork: again in a child, which has its own recording. pause: again while
 * recording is stopped. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../libsampler/cpsample.h"

#define THREADS 4

static long n;

__attribute__((noinline)) static void small(void)
{
	cpsample_count("requests", 1);
}

__attribute__((noinline)) static void large(void)
{
	cpsample_count("requests", 9);
}

static void *work(void *unused)
{
	(void)unused;
	for (long i = 0; i < n; i++) {
		small();
		if (i % 3 == 0)
			large();
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			exit(2);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	n = argc > 1 ? atol(argv[1]) : 1000;
	if (strcmp(how, "threads") == 0) {
		in_threads();
		return 0;
	}
	work(NULL);
	if (strcmp(how, "pause") == 0) {
		cpsample_stop();
		work(NULL);
		cpsample_start();
		work(NULL);
	}
	if (strcmp(how, "fork") == 0) {
		pid_t child = fork();

		work(NULL);
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return 0;
}
