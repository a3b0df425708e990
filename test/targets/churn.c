/* SPDX-License-Identifier: MIT */
/*
 * churn.c - threads that allocate all the time, and free what the others have allocated.
 *
 * churn ROUNDS [overflow|leak|wrap]: three threads make ROUNDS rounds each; the sum that is printed
 * depends on ROUNDS alone. Then it reads behind a block, loses one, or overflows an int: what a
 * sanitizer is to notice. Exit status 3.
 */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

enum { THREADS = 3, SHELF = 256 };

struct worker {
	pthread_t thread;
	unsigned long rounds;
	uint64_t x, sum;
};

static _Atomic(unsigned char *) shelf[SHELF];
static volatile unsigned sink;

/* A block of its own for each round, large ones among them, grown once, and left for whoever
 * comes by its place next. */
static void one_round(struct worker *w)
{
	size_t n = 16 + w->x % (w->x % 8 ? 2000 : 100000);
	unsigned char *block = malloc(n);

	if (!block)
		abort();
	memset(block, (int)(w->x & 0x7f), n < 500 ? n : 500);
	block[n - 1] = (unsigned char)w->x;
	block = realloc(block, n + 100);
	if (!block)
		abort();
	w->sum += block[n - 1];
	w->x = burn(w->x, 400);
	free(atomic_exchange(&shelf[w->x % SHELF], block));
}

static void *work(void *argument)
{
	struct worker *w = argument;

	for (unsigned long i = 0; i < w->rounds; i++)
		one_round(w);
	return NULL;
}

static void misbehave(const char *how, int one)
{
	unsigned char *volatile block;

	if (strcmp(how, "wrap") == 0) {
		volatile int most = INT_MAX;

		sink = (unsigned)(most + one);
		return;
	}
	block = malloc(10);
	if (strcmp(how, "overflow") == 0) {
		sink = block[9 + one];
		free(block);
	}
	block = NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	struct worker workers[THREADS];
	uint64_t sum = 0;

	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].rounds = rounds;
		workers[i].x = 88172645463325252u + i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].sum;
	}
	for (unsigned i = 0; i < SHELF; i++)
		free(shelf[i]);
	printf("%llu\n", (unsigned long long)sum);
	fflush(stdout);
	if (argc > 2)
		misbehave(argv[2], argc - 2);
	return 3;
}
