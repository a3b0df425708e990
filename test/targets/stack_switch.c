/* SPDX-License-Identifier: MIT */
/*
 * stack_switch.c - calls whose unwind tables are right, but unusual.
 *
 * stack_switch MS: spends about MS of CPU time below each of four functions in assembly.
 * exact_pc() has the augmentation 'S', as the kernel's signal frames have, and is none; on_stack() calls
 * a function on another stack, which lies above its own; on_stack_rbx() calls one on a stack that lies
 * below, and finds back by rbx. restore() is what a signal handler returns to, and has no unwind
 * information, as Go's has none.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define STACK (256u << 10)

void exact_pc(void (*f)(void));
void on_stack(void (*f)(void), void *top);
void on_stack_rbx(void (*f)(void), void *top);
void restore(void);

__asm__(".text\n\t.globl exact_pc\n\t.type exact_pc, @function\n"
	"exact_pc:\n\t.cfi_startproc\n\t.cfi_signal_frame\n\t"
	"pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n\t"
	"movq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\t"
	"call *%rdi\n\tnop\n\tpopq %rbp\n\t.cfi_def_cfa %rsp, 8\n\tret\n\t"
	".cfi_endproc\n\t.size exact_pc, . - exact_pc\n");

__asm__(".text\n\t.globl on_stack\n\t.type on_stack, @function\n"
	"on_stack:\n\t.cfi_startproc\n\t"
	"pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n\t"
	"movq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\t"
	"movq %rsi, %rsp\n\tcall *%rdi\n\tmovq %rbp, %rsp\n\tpopq %rbp\n\t"
	".cfi_def_cfa %rsp, 8\n\tret\n\t.cfi_endproc\n\t.size on_stack, . - on_stack\n");

__asm__(".text\n\t.globl on_stack_rbx\n\t.type on_stack_rbx, @function\n"
	"on_stack_rbx:\n\t.cfi_startproc\n\t"
	"pushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbx, -16\n\t"
	"movq %rsp, %rbx\n\t.cfi_def_cfa_register %rbx\n\t"
	"movq %rsi, %rsp\n\tcall *%rdi\n\tmovq %rbx, %rsp\n\tpopq %rbx\n\t"
	".cfi_def_cfa %rsp, 8\n\tret\n\t.cfi_endproc\n\t.size on_stack_rbx, . - on_stack_rbx\n");

__asm__(".text\n\tnop\n\t.globl restore\n\t.type restore, @function\n"
	"restore:\n\tmovq $15, %rax\n\tsyscall\n\t.size restore, . - restore\n");

static uint64_t ms;
static char *stacks; /* the thread's, with one below it and one above it */
static volatile uint64_t sink;

static void burn_ms(void)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000, now;

	while ((now = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < end)
		sink += burn(now, BURN_LONG);
}

static void leaf_exact(void)
{
	burn_ms();
	sink++;
}

static void leaf_above(void)
{
	burn_ms();
	sink += 2;
}

static void leaf_below(void)
{
	burn_ms();
	sink += 3;
}

static void leaf_handler(int number)
{
	burn_ms();
	sink += (uint64_t)number;
}

/* The C library would give the handler a function of its own to return to. */
static int signal_with_bare_restorer(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = {leaf_handler, 0x04000000 /* SA_RESTORER */, restore, 0};

	return syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 8) || raise(SIGUSR2);
}

static void *work(void *unused)
{
	exact_pc(leaf_exact);
	on_stack(leaf_above, stacks + 3 * STACK);
	on_stack_rbx(leaf_below, stacks + STACK);
	if (signal_with_bare_restorer())
		return stacks;
	sink++;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *failed;

	ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	stacks = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stacks == MAP_FAILED || pthread_attr_init(&attributes) ||
	    pthread_attr_setstack(&attributes, stacks + STACK, STACK) ||
	    pthread_create(&thread, &attributes, work, NULL) || pthread_join(thread, &failed) ||
	    failed)
		return 1;
	printf("%d\n", 4);
	return 0;
}
