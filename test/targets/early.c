/* SPDX-License-Identifier: MIT */
/*
 * early.c - a file that a constructor opens before the recorder's, and that is closed later.
 *
 * Built four times: with -DALLOCATOR an allocator that takes a lock, with -DPLUGIN the file, with -DOPENER a library to be preloaded whose constructor opens the file
 * that OPENED names, and as the program. That closes the file, puts code of its own where a function of the file
 * was, and runs it; the file's other memory is not there any more. Prints "ran".
 *
 * Before all constructors the program calls what the recorder wraps, as sanitizers do.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(ALLOCATOR)
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(max_align_t) char heap[64 << 20];
static size_t used;

void *malloc(size_t n)
{
	size_t *block;

	pthread_mutex_lock(&mutex);
	block = (size_t *)(void *)(heap + used);
	*block = n;
	used += (n + 31) & ~(size_t)15;
	pthread_mutex_unlock(&mutex);
	return used > sizeof(heap) ? NULL : block + 2;
}

void *calloc(size_t n, size_t bytes)
{
	return malloc(n * bytes);
}

void free(void *block)
{
	(void)block;
}

void *realloc(void *block, size_t n)
{
	void *moved = malloc(n);

	if (block && moved)
		memcpy(moved, block, ((size_t *)block)[-2] < n ? ((size_t *)block)[-2] : n);
	return moved;
}

#elif defined(PLUGIN)

int plugin(int x)
{
	return x + 1;
}

#elif defined(OPENER)

static void *opened;

__attribute__((constructor)) static void open_early(void)
{
	const char *path = getenv("OPENED");

	opened = path ? dlopen(path, RTLD_NOW) : NULL;
}

/* Returns where the function was; NULL: it was not opened, or is still there. */
void *close_early(void)
{
	void *function = opened ? dlsym(opened, "plugin") : NULL;
	Dl_info info;

	if (!function || dlclose(opened) != 0 || dladdr(function, &info))
		return NULL;
	return function;
}

#else

#define TURNS 800000000ul

#if defined(__aarch64__)
/* mov x1, x0; 1: subs x1, x1, #1; b.ne 1b; ret */
static const uint32_t code[] = {0xaa0003e1, 0xf1000421, 0x54ffffe1, 0xd65f03c0};
#else
/* movq %rdi, %rcx; 1: decq %rcx; jnz 1b; ret */
static const uint8_t code[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};
#endif

static void call_first(void)
{
	signal(SIGUSR1, SIG_IGN);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = call_first;

int main(void)
{
	void *(*close_early)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "close_early");
	char *where = close_early ? close_early() : NULL;
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *page = (char *)((uintptr_t)where & ~(uintptr_t)(bytes - 1));

	if (!where || mmap(page, 2 * bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != page)
		return 3;
	memcpy(where, code, sizeof(code));
	__builtin___clear_cache(where, where + sizeof(code));
	mprotect(page, 2 * bytes, PROT_READ | PROT_EXEC);
	((void (*)(unsigned long))where)(TURNS);
	puts("ran");
	return 0;
}

#endif
