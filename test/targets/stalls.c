/* SPDX-License-Identifier: MIT */
/*
 * stalls.c - more threads than processors, which say how long they have waited for one.
 *
 * stalls MS: for so long two threads for each processor compute, and another one computes and naps in turn. Prints a line
 * for each: "NAME WALL CPU QUEUED NAPPED SLEPT", in ns: its life, its CPU time, how long it was ready to run and did
 * not, as the kernel says (/proc/thread-self/schedstat), how long its naps have lasted, and how long they should.
 * 77: the kernel does not say it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

#define MOST   64
#define NAP_US 3000u

static uint64_t until;

struct worker {
	pthread_t thread;
	char name[16];
	int naps; /* whether it does */
	uint64_t wall, cpu, queued, napped, slept;
};

static uint64_t queued(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	unsigned long long run, wait;

	if (!file || fscanf(file, "%llu %llu", &run, &wait) != 2 || wait + run == 0)
		exit(77);
	fclose(file);
	return wait;
}

static __attribute__((noinline)) void nap(struct worker *w)
{
	uint64_t begun = cpu_ns(CLOCK_MONOTONIC);

	usleep(NAP_US);
	w->slept += NAP_US * 1000;
	w->napped += cpu_ns(CLOCK_MONOTONIC) - begun;
}

static void *work(void *argument)
{
	struct worker *w = argument;
	uint64_t begun = cpu_ns(CLOCK_MONOTONIC);

	w->queued = queued();
	pthread_setname_np(pthread_self(), w->name);
	while (cpu_ns(CLOCK_MONOTONIC) < until) {
		burn_for(5, BURN_LONG / 50);
		if (w->naps)
			nap(w);
	}
	w->queued = queued() - w->queued;
	w->cpu = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	w->wall = cpu_ns(CLOCK_MONOTONIC) - begun;
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[MOST + 1];
	cpu_set_t set;
	int n = 2;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) <= MOST / 2)
		n = 2 * CPU_COUNT(&set);
	until = cpu_ns(CLOCK_MONOTONIC) + (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	for (int i = 0; i <= n; i++) {
		workers[i].naps = i == n;
		snprintf(workers[i].name, sizeof(workers[i].name), i == n ? "napper" : "burner%d",
			 i);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			return 1;
	}
	for (int i = 0; i <= n; i++) {
		const struct worker *w = &workers[i];

		pthread_join(w->thread, NULL);
		printf("%s %llu %llu %llu %llu %llu\n", w->name, (unsigned long long)w->wall,
		       (unsigned long long)w->cpu, (unsigned long long)w->queued,
		       (unsigned long long)w->napped, (unsigned long long)w->slept);
	}
	return 0;
}
