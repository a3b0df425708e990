/* SPDX-License-Identifier: MIT */
/*
 * trampolines.c - an interpreter that calls its evaluator through a little generated code for each
 * function of the interpreted program, as CPython does with -X perf, and writes their names to a perf
 * map. The generated code has no unwind information, and the evaluator no frame pointer.
 *
 * 	trampolines MS    outer calls inner, inner calls light for MS and heavy for 2 MS of CPU time, in
 * 	                  each of three forms of the generated code
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "burn.h"

struct frame;
typedef uint64_t (*evaluator)(struct frame *frame, uint64_t ms, int flag);
typedef uint64_t (*trampoline)(struct frame *frame, uint64_t ms, int flag, evaluator f);

/* A function of the interpreted program: the functions that it calls, or NULL: it burns. */
struct frame {
	const char *name;
	struct frame *calls[2];
	unsigned times;
	trampoline code;
};

static volatile uint64_t sink;

/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const unsigned char form_3_12[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1,
					  0x48, 0x83, 0xc4, 8, 0xc3};
/* endbr64, and the same */
static const unsigned char form_cet[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 8,
					 0xff, 0xd1, 0x48, 0x83, 0xc4, 8,    0xc3};
/* endbr64; push %rbp; mov %rsp, %rbp; call *%rcx; pop %rbp; ret */
static const unsigned char form_3_13[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48,
					  0x89, 0xe5, 0xff, 0xd1, 0x5d, 0xc3};
static const struct {
	const char *name;
	const unsigned char *bytes;
	size_t n;
} forms[] = {{"sub", form_3_12, sizeof(form_3_12)},
	     {"cet", form_cet, sizeof(form_cet)},
	     {"push", form_3_13, sizeof(form_3_13)}};

/* The variable part of its stack keeps the compiler from making it a loop or a jump. */
static __attribute__((noinline)) uint64_t evaluate(struct frame *frame, uint64_t ms, int flag)
{
	uint64_t end, result = ms;
	volatile uint64_t stack[24];

	stack[frame->times % 24] = (uint64_t)flag;
	if (!frame->calls[0]) {
		end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * frame->times * 1000000;
		while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
			sink = burn(sink + 1, BURN_LONG);
	}
	for (int i = 0; i < 2 && frame->calls[i]; i++)
		result += frame->calls[i]->code(frame->calls[i], ms, flag, evaluate);
	return result + stack[frame->times % 24];
}

static void generate(struct frame *frame, unsigned char *code, unsigned form, FILE *map)
{
	memcpy(code, forms[form].bytes, forms[form].n);
	frame->code = (trampoline)(uintptr_t)code;
	fprintf(map, "%lx %zx py::%s:%s.py\n", (unsigned long)(uintptr_t)code, forms[form].n,
		frame->name, forms[form].name);
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *map;

	if (code == MAP_FAILED)
		return 77;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	if (!map)
		return 77;
	for (unsigned form = 0; form < 3; form++) {
		struct frame light = {"light", {NULL}, 1, NULL}, heavy = {"heavy", {NULL}, 2, NULL};
		struct frame inner = {"inner", {&light, &heavy}, 0, NULL};
		struct frame outer = {"outer", {&inner}, 0, NULL};
		struct frame *all[] = {&outer, &inner, &light, &heavy};

		for (unsigned i = 0; i < 4; i++)
			generate(all[i], code + (form * 4 + i) * 64, form, map);
		fflush(map);
		sink += outer.code(&outer, ms, 1, evaluate);
	}
	return fclose(map) != 0;
}
