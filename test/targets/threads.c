/* SPDX-License-Identifier: MIT */
/*
 * threads.c - threads that use CPU time in known shares.
 *
 * threads MS: four threads, named worker-1 to worker-4, use MS, 2 MS, 3 MS and 4 MS of CPU time.
 * Prints "NAME NS" per thread, measured by the thread, then "process NS".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

enum { THREADS = 4 };

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

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	struct worker workers[THREADS] = {0};
	uint64_t result = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(workers[i].name, sizeof(workers[i].name), "worker-%u", i + 1);
		workers[i].budget_ns = ms * 1000000 * (i + 1);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("%s %llu\n", workers[i].name, (unsigned long long)workers[i].used_ns);
		result += workers[i].result;
	}
	printf("process %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return result == 42;
}
