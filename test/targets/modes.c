/* SPDX-License-Identifier: MIT */
/*
 * modes.c - spends CPU time in the kernel and outside of it, and says what getrusage has counted.
 *
 * In: how many ms of CPU time each of calls() (it reads zeros), faults() (it touches new pages) and computes() is to
 * use. Out: for each its name, and ns of user and of system time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "burn.h"

#define BYTES (1u << 16)
#define PAGES (1u << 22)

static char buffer[BYTES];
static int zero;
static char *pages;

static uint64_t now(void)
{
	return cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Some 50 calls for each that asks for the time. */
static __attribute__((noinline)) void calls(uint64_t until)
{
	while (now() < until)
		for (int i = 0; i < 50; i++)
			if (read(zero, buffer, BYTES) != BYTES)
				abort();
}

static __attribute__((noinline)) void faults(uint64_t until)
{
	while (now() < until) {
		for (size_t i = 0; i < PAGES; i += 4096)
			((volatile char *)pages)[i] = 1;
		madvise(pages, PAGES, MADV_DONTNEED);
	}
}

static __attribute__((noinline)) void computes(uint64_t until)
{
	static volatile uint64_t sink;

	while (now() < until)
		sink = burn(sink + 1, BURN_LONG / 5);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static void phase(const char *name, void (*work)(uint64_t until), uint64_t ns)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	work(now() + ns);
	getrusage(RUSAGE_SELF, &after);
	printf("%s %lu %lu\n", name, ns_of(after.ru_utime) - ns_of(before.ru_utime),
	       ns_of(after.ru_stime) - ns_of(before.ru_stime));
}

int main(int argc, char **argv)
{
	uint64_t ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;

	zero = open("/dev/zero", O_RDONLY);
	pages = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (zero < 0 || pages == MAP_FAILED)
		return 1;
	phase("calls", calls, ns);
	phase("faults", faults, ns);
	phase("computes", computes, ns);
	return 0;
}
