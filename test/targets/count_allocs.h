/* SPDX-License-Identifier: MIT */
/*
 * count_allocs.h - a library to be preloaded that counts each allocation exactly, and nothing else.
 *
 * To be compiled alone into a shared library. At the end of the process it writes into the file
 * $COUNT_ALLOCS.PID: "bytes calls live library", of what was allocated since its constructor
 * by that library. A block that
 * is reallocated counts as a new one. `live` are the bytes of blocks that were not freed, as
 * malloc_usable_size has them.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic long long n_bytes, n_calls, n_live;
static __thread int depth __attribute__((tls_model("initial-exec")));

#define NEXT(name)                                                                                 \
	static __typeof__(&name) next;                                                             \
	if (!next)                                                                                 \
	next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void *count(void *block, size_t bytes)
{
	if (block && !depth) {
		n_bytes += (long long)bytes;
		n_calls++;
	}
	if (block)
		n_live += (long long)malloc_usable_size(block);
	return block;
}

static void uncount(void *block)
{
	if (block)
		n_live -= (long long)malloc_usable_size(block);
}

#define COUNTS(name, parameters, arguments, bytes)                                                 \
	void *name parameters                                                                      \
	{                                                                                          \
		void *got;                                                                         \
		NEXT(name);                                                                        \
                                                                                                   \
		depth++;                                                                           \
		got = next arguments;                                                              \
		depth--;                                                                           \
		return count(got, bytes);                                                          \
	}

COUNTS(malloc, (size_t n), (n), n)
COUNTS(calloc, (size_t n, size_t each), (n, each), n *each)
COUNTS(memalign, (size_t alignment, size_t n), (alignment, n), n)
COUNTS(aligned_alloc, (size_t alignment, size_t n), (alignment, n), n)
COUNTS(valloc, (size_t n), (n), n)
COUNTS(pvalloc, (size_t n), (n), n)

void *realloc(void *block, size_t n)
{
	size_t before = block ? malloc_usable_size(block) : 0;
	void *got;
	NEXT(realloc);

	depth++;
	got = next(block, n);
	depth--;
	if (got || !n)
		n_live -= (long long)before;
	return count(got, n);
}

int posix_memalign(void **block, size_t alignment, size_t n)
{
	int error;
	NEXT(posix_memalign);

	depth++;
	error = next(block, alignment, n);
	depth--;
	if (!error)
		count(*block, n);
	return error;
}

void free(void *block)
{
	NEXT(free);

	uncount(block);
	next(block);
}

static __attribute__((constructor)) void begin(void)
{
	n_bytes = n_calls = n_live = 0;
}

static __attribute__((destructor)) void end(void)
{
	char name[4096], text[4096];
	Dl_info from = {0};
	FILE *f;
	int n;

	dladdr(dlsym(RTLD_NEXT, "malloc"), &from);
	n = snprintf(text, sizeof(text), "%lld %lld %lld %s\n", n_bytes, n_calls, n_live,
		     from.dli_fname);

	snprintf(name, sizeof(name), "%s.%d", getenv("COUNT_ALLOCS"), (int)getpid());
	f = fopen(name, "w");
	if (f) {
		fwrite(text, 1, (size_t)n, f);
		fclose(f);
	}
}
