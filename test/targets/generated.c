/* SPDX-License-Identifier: MIT */
/*
 * generated.c - runs generated code, so that ticks meet addresses that are in no file, while another
 * thread calls dlopen for a library that cannot be loaded.
 *
 * generated MS LIBRARY
 *
 * Linked with -no-pie and looking at _r_debug, it has a copy of the loader's variable.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

#define CODE (4u << 20)

static volatile int is_over;
static volatile uint64_t sink;

static void *probe(void *library)
{
	while (!is_over)
		if (dlopen(library, RTLD_NOW))
			abort();
	return NULL;
}

static __attribute__((noinline)) void burn_known(uint64_t ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		sink += burn(sink + 1, 400000);
}

static void burn_generated(uint64_t ms, const unsigned char *code)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		((void (*)(void))(uintptr_t)code)();
}

int main(int argc, char **argv)
{
	unsigned char *code = mmap(NULL, CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t ms = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	pthread_t thread;

	if (!ms)
		return 2;
	if (code == MAP_FAILED)
		return 77;
	memset(code, 0x90, CODE);
	code[CODE - 1] = 0xc3;
	if (pthread_create(&thread, NULL, probe, argv[2]))
		return 1;
	burn_generated(ms, code);
	is_over = 1;
	pthread_join(thread, NULL);
	burn_known(ms);
	printf("done%s\n", _r_debug.r_version < 0 ? "" : ".");
	return 0;
}
