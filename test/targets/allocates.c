/* SPDX-License-Identifier: MIT */
/*
 * allocates.c - allocates known amounts by each function of the malloc family.
 *
 * allocates ROUNDS [pages|fork|threads]: each of its functions allocates a known amount in each round. Prints a line
 * "FUNCTION BYTES CALLS" for each. With `fork` a child calls in_child ten times as often, and prints what that has
 * allocated. With `pages` there is also pvalloc. With `threads` other threads free what by_malloc and large have got. Ends with 6.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FREERS 2

/* Where other threads look for what they are to free. */
static _Atomic(void *) handed[256];
static atomic_bool is_over, has_freers;

/* The compiler knows that a block which nobody looks at need not be allocated. */
static void release(void *block)
{
	__asm__ volatile("" : "+r"(block) : : "memory");
	free(block);
}

static void drop(void *block)
{
	static unsigned n;

	memset(block, 1, 1);
	if (atomic_load(&has_freers))
		block = atomic_exchange(&handed[n++ % 256], block);
	free(block);
}

static void *free_handed(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		for (int i = 0; i < 256; i++)
			free(atomic_exchange(&handed[i], NULL));
	return NULL;
}

static void by_malloc(void)
{
	for (size_t i = 0; i < 64; i++)
		drop(malloc(1000 + i));
}

static void large(void)
{
	drop(malloc(300000));
}

static void by_calloc(void)
{
	release(calloc(100, 160));
}

static void by_realloc(void)
{
	void *block = NULL;

	for (size_t i = 1; i <= 16; i++)
		block = realloc(block, i * 512);
	release(block);
}

static void by_reallocarray(void)
{
	release(reallocarray(NULL, 20, 500));
}

static void by_alignment(void)
{
	void *block = NULL;

	release(memalign(64, 5000));
	release(aligned_alloc(128, 6400));
	if (posix_memalign(&block, 256, 7000) == 0)
		release(block);
	release(valloc(8000));
}

/* jemalloc has no such function. */
static void by_pvalloc(void)
{
	release(pvalloc(9000));
}

/* None of these gets anything. */
static void in_vain(void)
{
	volatile size_t most = SIZE_MAX / 4;
	void *volatile block = malloc(most);

	if (block || (block = calloc(most, 1)) || (block = realloc(NULL, most)))
		abort();
	errno = 0;
	if ((block = reallocarray(NULL, most, most)) || errno != ENOMEM)
		abort();
}

static void in_child(void)
{
	release(malloc(2000));
}

static void tell(const char *name, unsigned long bytes, unsigned long calls)
{
	printf("%s %lu %lu\n", name, bytes, calls);
}

static void work(unsigned long rounds, bool has_pages)
{
	for (unsigned long i = 0; i < rounds; i++) {
		by_malloc();
		by_calloc();
		by_realloc();
		in_vain();
		large();
		by_reallocarray();
		by_alignment();
		if (has_pages)
			by_pvalloc();
	}
	tell("by_malloc", rounds * 66016, rounds * 64);
	tell("by_calloc", rounds * 16000, rounds);
	tell("by_realloc", rounds * 512 * 136, rounds * 16);
	tell("large", rounds * 300000, rounds);
	tell("by_reallocarray", rounds * 10000, rounds);
	tell("by_alignment", rounds * 26400, rounds * 4);
	tell("by_pvalloc", has_pages ? rounds * 9000 : 0, has_pages ? rounds : 0);
	tell("in_vain", 0, 0);
}

static void work_in_child(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		in_child();
	tell("in_child", rounds * 2000, rounds);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t freer[FREERS];

	if (strcmp(how, "threads") == 0) {
		atomic_store(&has_freers, true);
		for (int i = 0; i < FREERS; i++)
			pthread_create(&freer[i], NULL, free_handed, NULL);
	}
	work(rounds, strcmp(how, "pages") == 0);
	fflush(stdout);
	if (strcmp(how, "fork") == 0) {
		if (fork() == 0) {
			work_in_child(10 * rounds);
			exit(6);
		}
		wait(NULL);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < FREERS && atomic_load(&has_freers); i++)
		pthread_join(freer[i], NULL);
	return 6;
}
