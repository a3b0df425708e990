/* SPDX-License-Identifier: MIT */
/*
 * footprint.c - has a number of threads at once, and says how much memory the process has then.
 *
 *	footprint THREADS DEPTH [lock|idle]
 *	footprint holes
 *
 * Each thread uses 10 ms of CPU time below DEPTH calls, or with `idle` nothing. With `lock` the kernel is to lock all memory
 * that is mapped from then on, of which there may be 8 MiB. Prints the kilobytes of address space,
 * resident memory and locked memory, when all that was recorded so far is in the file, and the number of mappings before.
 *
 * With `holes` it unmaps memory in many places, uses CPU time, and says how many pages are mapped there afterwards.
 */
#include <linux/capability.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "resident.h"
#include "../../libsampler/cpsample.h"

#define MOST 20000

static volatile uint64_t sink;
static sem_t
	has_begun; /* threads begin one after the other, so that their mappings alternate with the recorder's */
static pthread_barrier_t are_done, may_end;
static unsigned depth;
static uint64_t each_ns = 10000000;

static __attribute__((noinline)) void descend(unsigned n)
{
	if (n)
		descend(n - 1);
	else
		for (uint64_t from = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		     cpu_ns(CLOCK_THREAD_CPUTIME_ID) - from < each_ns;)
			sink = burn(sink, 5000);
	sink++;
}

static void *work(void *unused)
{
	sem_post(&has_begun);
	descend(depth);
	pthread_barrier_wait(&are_done);
	pthread_barrier_wait(&may_end);
	return unused;
}

static void lock_what_comes(void)
{
	const struct rlimit limit = {8 << 20, 8 << 20};
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct sets[2];

	if (syscall(SYS_capget, &head, sets) == 0) {
		sets[CAP_IPC_LOCK / 32].effective &= ~(1u << CAP_IPC_LOCK % 32);
		syscall(SYS_capset, &head, sets);
	}
	if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || mlockall(MCL_FUTURE) != 0) {
		perror("footprint: mlockall");
		exit(1);
	}
}

static void show(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256], name[16];
	long kb;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%15[^:]: %ld", name, &kb) == 2 &&
		    (!strcmp(name, "VmSize") || !strcmp(name, "VmLck")))
			printf("%s %ld\n", name, kb);
	printf("VmRSS %ld\n", resident_kb());
}

static void show_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int n = 0, c;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	printf("mappings %d\n", n);
}

#define PAGE 4096u

static char *map_pages(unsigned n)
{
	char *start = mmap(NULL, (size_t)n * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

/* A hole of each size from a page to 64 MiB; what lies between them keeps them apart. */
static int holes(void)
{
	enum { SIZES = 15 };
	unsigned char in_memory;
	unsigned mapped = 0;
	char *hole[SIZES];

	for (int i = 0; i < SIZES; i++)
		if (!map_pages(1) || !(hole[i] = map_pages(1u << i)) || !map_pages(1))
			return 1;
	for (int i = 0; i < SIZES; i++)
		munmap(hole[i], (size_t)PAGE << i);
	for (uint64_t from = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	     cpu_ns(CLOCK_THREAD_CPUTIME_ID) - from < 300000000;)
		sink = burn(sink, 5000);
	for (int i = 0; i < SIZES; i++)
		for (unsigned page = 0; page < 1u << i; page++)
			mapped += mincore(hole[i] + (size_t)page * PAGE, PAGE, &in_memory) == 0;
	printf("%u pages in holes\n", mapped);
	return 0;
}

int main(int count, char **arguments)
{
	long threads = count < 3 ? 0 : strtol(arguments[1], NULL, 10);
	pthread_attr_t small;
	static pthread_t thread[MOST];

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* whether a huge page fits into a stack is chance */
	if (count == 2 && strcmp(arguments[1], "holes") == 0)
		return holes();
	if (threads < 1 || threads > MOST)
		return 2;
	depth = (unsigned)strtol(arguments[2], NULL, 10);
	if (count > 3 && strcmp(arguments[3], "idle") == 0)
		each_ns = 0;
	else if (count > 3)
		lock_what_comes();
	pthread_barrier_init(&are_done, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&may_end, NULL, (unsigned)threads + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (64 << 10) + depth * 128);
	for (long i = 0; i < threads; i++) {
		int error = pthread_create(&thread[i], &small, work, NULL);

		if (error) {
			fprintf(stderr, "footprint: thread %ld: %s\n", i, strerror(error));
			return 1;
		}
		sem_wait(&has_begun);
	}
	pthread_barrier_wait(&are_done);
	show_mappings();
	cpsample_stop();
	show();
	pthread_barrier_wait(&may_end);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
