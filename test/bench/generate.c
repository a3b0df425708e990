/* SPDX-License-Identifier: MIT */
/*
 * generate.c - a compiler of our own at work: two generated functions with frame pointers and a perf map.
 *
 * generate MS: jit_left and jit_right, which are drawn 70 to 30, loop and then call a function of the
 * program. Prints "total jit_left NS", "process NS", and "file NAME", the perf map that it leaves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../targets/burn.h"
#include "draw.h"

#define APART 256 /* bytes between the beginnings of the functions */

/*
 * void f(unsigned long turns, void (*call)(unsigned long)) loops so many turns, then calls.
 */
static const unsigned char code[] = {
	0x55,			/* push %rbp */
	0x48, 0x89, 0xe5,	/* mov %rsp,%rbp */
	0x57,			/* push %rdi */
	0x50,			/* push %rax, for the alignment */
	0x48, 0xff, 0xcf,	/* dec %rdi */
	0x75, 0xfb,		/* jnz to it */
	0x48, 0x8b, 0x7d, 0xf8, /* mov -8(%rbp),%rdi */
	0xff, 0xd6,		/* call *%rsi */
	0xc9,			/* leave */
	0xc3,			/* ret */
};

static uint64_t sink;

/* Takes about as long as the loop of the caller. */
static void native(unsigned long turns)
{
	sink += burn(sink + 1, turns / 6);
}

static int name_code(const unsigned char *at, char *path, size_t size)
{
	FILE *map;

	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return -1;
	fprintf(map, "%lx %zx jit_left\n%lx %zx jit_right\n", (unsigned long)(uintptr_t)at,
		sizeof(code), (unsigned long)(uintptr_t)(at + APART), sizeof(code));
	return fclose(map);
}

int main(int argc, char **argv)
{
	uint64_t end = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0, used[2] = {0, 0};
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	memcpy(at + APART, code, sizeof(code));
	if (name_code(at, path, sizeof(path)))
		return 1;
	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
		unsigned which = draw(100) >= 70;
		unsigned long turns = 150000 + draw(1500000);
		uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		void (*f)(unsigned long, void (*)(unsigned long)) = (void (*)(
			unsigned long, void (*)(unsigned long)))(uintptr_t)(at + which * APART);

		f(turns, native);
		used[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	printf("total jit_left %llu\nprocess %llu\nfile %s\n", (unsigned long long)used[0],
	       (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID), path);
	return sink == 42;
}
