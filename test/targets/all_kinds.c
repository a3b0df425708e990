/* SPDX-License-Identifier: MIT */
/*
 * all_kinds.c - uses some of each resource that the recorder can count, and tells nothing of it.
 *
 * all_kinds: prints "used" and ends with 9. Its SIGPROF has a handler.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../libsampler/cpsample.h"
#include "burn.h"

#define MIB ((size_t)1 << 20)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept;

static void on_signal(int number)
{
	(void)number;
}

static __attribute__((noinline)) void touch_pages(void)
{
	char *pages =
		mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		abort();
	madvise(pages, 8 * MIB, MADV_NOHUGEPAGE);
	memset(pages, 1, 8 * MIB);
	munmap(pages, 8 * MIB);
}

static __attribute__((noinline)) void allocate(void)
{
	for (int i = 0; i < 8000; i++) {
		free(kept);
		kept = malloc(1024);
	}
	free(kept);
	kept = malloc(4 * MIB);
}

static __attribute__((noinline)) void transfer(void)
{
	static char block[1 << 16];
	int from = open("/dev/zero", O_RDONLY), to = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 64; i++)
		if (read(from, block, sizeof(block)) != (ssize_t)sizeof(block) ||
		    write(to, block, sizeof(block)) != (ssize_t)sizeof(block))
			abort();
	close(from);
	close(to);
}

/* The kernel works for several of its ticks. */
static __attribute__((noinline)) void work_in_the_kernel(void)
{
	static char block[1 << 16];
	int from = open("/dev/zero", O_RDONLY);
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 60000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		if (read(from, block, sizeof(block)) != (ssize_t)sizeof(block))
			abort();
	close(from);
}

static void *hold(void *unused)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&mutex);
		usleep(3000);
		pthread_mutex_unlock(&mutex);
		usleep(200);
	}
	return unused;
}

static __attribute__((noinline)) void contend(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, hold, NULL) != 0)
		abort();
	hold(NULL);
	pthread_join(thread, NULL);
}

/* Quotients are rounded, which is an exception, for several of the kernel's ticks. */
static __attribute__((noinline)) void divide(void)
{
	volatile double quotient = 1;
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 60000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 1000; i++)
			quotient = (quotient + i) / 3;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGPROF, &action, NULL);
	for (int i = 0; i < 20; i++)
		raise(SIGPROF);
	for (int i = 0; i < 5000; i++)
		cpsample_count("requests", 1);
	touch_pages();
	allocate();
	transfer();
	work_in_the_kernel();
	contend();
	burn_for(40, BURN_LONG / 10);
	divide();
	puts("used");
	return 9;
}
