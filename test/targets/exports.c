/* SPDX-License-Identifier: MIT */
/*
 * exports.c - a program with functions of its own under names that everybody uses; to be linked
 * with -rdynamic, so that they come before those of any library.
 *
 * exports MS: uses MS of CPU time in busy(), which allocates, in two threads. Its deflate ends the
 * program. Prints "before N": what has been allocated before main, and "during N": what has been
 * after that, and not by busy(); "crc32 N": how often that was called.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

enum { TOP = 256 << 20, HEAD = 16 };

static _Alignas(16) unsigned char heap[TOP];
static atomic_size_t used;
static atomic_ulong allocations, crcs;
static atomic_ulong wanted; /* allocations by busy() */

int deflate(void *stream, int flush);
int deflateInit_(void *stream, int level, const char *version, int size);
unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned n);

static _Noreturn void called(const char *name)
{
	static const char text[] = " of the target was called\n";

	if (write(2, name, strlen(name)) < 0 || write(2, text, sizeof(text) - 1) < 0)
		_exit(98);
	abort();
}

int deflate(void *stream, int flush)
{
	(void)stream;
	(void)flush;
	called("deflate");
}

int deflateInit_(void *stream, int level, const char *version, int size)
{
	(void)stream;
	(void)level;
	(void)version;
	(void)size;
	called("deflateInit_");
}

unsigned long crc32(unsigned long crc, const unsigned char *bytes, unsigned n)
{
	(void)bytes;
	(void)n;
	atomic_fetch_add(&crcs, 1);
	return crc;
}

/* Never gives anything back. The size is before the block, for realloc. */
void *malloc(size_t n)
{
	size_t whole = (n + HEAD + 15) & ~(size_t)15;
	size_t at;

	atomic_fetch_add(&allocations, 1);
	if (n > TOP || (at = atomic_fetch_add(&used, whole)) + whole > TOP) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(heap + at, &n, sizeof(n));
	return heap + at + HEAD;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t n, size_t each)
{
	if (each && n > TOP / each)
		return NULL;
	return malloc(n * each); /* static memory that nobody had before */
}

void *realloc(void *block, size_t n)
{
	void *more = malloc(n);
	size_t had;

	if (!more || !block)
		return more;
	memcpy(&had, (unsigned char *)block - HEAD, sizeof(had));
	memcpy(more, block, had < n ? had : n);
	return more;
}

static void *busy(void *budget)
{
	uint64_t until = *(uint64_t *)budget;
	uint64_t x = 1;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
		atomic_fetch_add(&wanted, 1);
		if (!malloc(64))
			abort();
		x = burn(x, BURN_LONG / 50);
	}
	return x == 42 ? budget : NULL;
}

int main(int argc, char **argv)
{
	unsigned long before = atomic_load(&allocations), during;
	uint64_t budget = (argc > 1 ? strtoull(argv[1], NULL, 10) : 500) * 1000000 / 2;
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, busy, &budget))
			return 1;
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	during = atomic_load(&allocations) - before - atomic_load(&wanted);
	printf("before %lu\nduring %lu\ncrc32 %lu\n", before, during, atomic_load(&crcs));
	return 5;
}
