/* SPDX-License-Identifier: MIT */
/*
 * no_cfi.c - burns in and above code of which no unwind information speaks: written into memory at
 * run time, and assembly. A named function for each way: run_frame calls generated code with a
 * frame pointer, which calls burn_frame; run_none generated code that uses the frame pointer for
 * something else; run_leaf and run_asm_leaf loops that call nothing; run_asm_frame assembly with a
 * frame pointer.
 *
 * 	no_cfi MS    for so many ms of CPU time each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

typedef void (*callback)(void);

static volatile uint64_t sink;
static uint64_t budget;
static unsigned char *code;

void asm_leaf(uint64_t turns);
void asm_frame(callback f);

__asm__(".text\n"
	".type asm_leaf, @function\nasm_leaf:\n\tdec %rdi\n\tjnz asm_leaf\n\tret\n"
	".size asm_leaf, . - asm_leaf\n"
	".type asm_frame, @function\nasm_frame:\n\tpush %rbp\n\tmov %rsp, %rbp\n\tsub $32, %rsp\n\t"
	"call *%rdi\n\tleave\n\tret\n.size asm_frame, . - asm_frame\n");

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const unsigned char with_frame[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
/* push %rbp; push %rsp; push %rsp; mov %rsp, %rbp; call *%rdi; test %eax, %eax; jz on; pop %rdx;
 * pop %rdx; pop %rbp; ret: the frame pointer points to addresses of the stack, none of which is of
 * code, and there are two ways to go after the call. */
static const unsigned char without[] = {0x55, 0x54, 0x54, 0x48, 0x89, 0xe5, 0xff, 0xd7,
					0x85, 0xc0, 0x74, 0x00, 0x5a, 0x5a, 0x5d, 0xc3};
/* dec %rdi; jnz back; ret */
static const unsigned char leaf[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

static void burn_on(void)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + budget;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		sink = burn(sink + 1, 400000);
}

static void burn_frame(void)
{
	burn_on();
	sink++;
}

static void burn_none(void)
{
	burn_on();
	sink += 2; /* or the compiler makes one of the three */
}

static void burn_asm(void)
{
	burn_on();
	sink += 3;
}

static void *generate(const unsigned char *bytes, size_t n)
{
	unsigned char *start = code;

	memcpy(code, bytes, n);
	code += 256;
	return start;
}

static void run_frame(void)
{
	((void (*)(callback))generate(with_frame, sizeof(with_frame)))(burn_frame);
	sink++;
}

static void run_none(void)
{
	((void (*)(callback))generate(without, sizeof(without)))(burn_none);
	sink++;
}

static void repeat(void (*loop)(uint64_t turns))
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + budget;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		loop(1000000);
}

static void run_leaf(void)
{
	repeat((void (*)(uint64_t))generate(leaf, sizeof(leaf)));
	sink++;
}

static void run_asm_leaf(void)
{
	repeat(asm_leaf);
	sink++;
}

static void run_asm_frame(void)
{
	asm_frame(burn_asm);
	sink++;
}

int main(int argc, char **argv)
{
	budget = (argc > 1 ? strtoull(argv[1], NULL, 10) : 200) * 1000000;
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (code == MAP_FAILED)
		return 77;
	run_frame();
	run_none();
	run_leaf();
	run_asm_leaf();
	run_asm_frame();
	return 0;
}
