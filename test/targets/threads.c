/* SPDX-License-Identifier: MIT */
/*
 * threads.c - threads that use CPU time in known shares.
 *
 * threads MS N: N threads, at most 8, named worker-1 to worker-N, use MS, 2 MS, ... N MS of CPU
 * time. Prints "NAME NS" per thread, measured by the thread, then "process NS".
 *
 * threads short N: N threads, four at a time, each for 100 us. Prints by how many KiB the process
 * has grown since half of them was done.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

enum { THREADS = 8 };

struct worker {
	pthread_t thread;
	char name[16];
	uint64_t budget_ns, used_ns, result;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	pthread_setname_np(pthread_self(), w->name);
	while ((w->used_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < w->budget_ns)
		w->result += burn(w->used_ns, 50000);
	return NULL;
}

static void *work_shortly(void *unused)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 100000, x = 1;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		x = burn(x, 10000);
	return x ? unused : NULL;
}

static long resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		abort();
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int many(int n)
{
	pthread_t t[4];
	long before = 0;

	for (int i = 0; i < n; i += 4) {
		for (int k = 0; k < 4; k++)
			if (pthread_create(&t[k], NULL, work_shortly, NULL))
				return 1;
		for (int k = 0; k < 4; k++)
			pthread_join(t[k], NULL);
		if (i == n / 2 / 4 * 4)
			before = resident();
	}
	printf("%ld\n", resident() - before);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
	struct worker workers[THREADS] = {0};
	uint64_t result = 0;

	if (argc > 2 && strcmp(argv[1], "short") == 0)
		return many((int)n);
	for (unsigned i = 0; i < n && i < THREADS; i++) {
		snprintf(workers[i].name, sizeof(workers[i].name), "worker-%u", i + 1);
		workers[i].budget_ns = ms * 1000000 * (i + 1);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < n && i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("%s %llu\n", workers[i].name, (unsigned long long)workers[i].used_ns);
		result += workers[i].result;
	}
	printf("process %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return result == 42;
}
