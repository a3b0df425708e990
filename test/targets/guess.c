/* SPDX-License-Identifier: MIT */
/*
 * guess.c - runs a function that has no unwind information and uses the frame pointer for something
 * else. What it points to cannot be read, or not for long.
 *
 * guess hole MS: to a page in the middle of the thread's stack that is protected.
 * guess race MS: behind the end of a coroutine's stack, to a page that another thread maps and unmaps.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "burn.h"

#define PAGE  4096u
#define STACK (256u << 10)

void turn(const void *frame_pointer, uint64_t turns);

__asm__(".text\n.type turn, @function\nturn:\n\tpush %rbp\n\tpush %rbx\n\tmov %rdi, %rbp\n"
	"1:\tdec %rsi\n\tjnz 1b\n\tpop %rbx\n\tpop %rbp\n\tret\n.size turn, . - turn\n");

static uint64_t ms;
static char *page;
static volatile int is_over;
static volatile uint64_t sink;

static void burn_turning(void)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		turn(page + 64, 100000);
	sink++;
}

static int burn_above_hole(void)
{
	char room[4 * PAGE];

	page = (char *)(((uintptr_t)room + 2 * PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	if (mprotect(page, PAGE, PROT_NONE))
		return 1;
	burn_turning();
	return mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0;
}

static void *flip(void *unused)
{
	while (!is_over) {
		if (mmap(page, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
			abort();
		*(volatile char *)page = 1;
		munmap(page, PAGE);
	}
	return unused;
}

static int burn_in_coroutine(void)
{
	static ucontext_t here, coroutine;
	char *area = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (area == MAP_FAILED || mprotect(area, STACK, PROT_READ | PROT_WRITE) ||
	    getcontext(&coroutine))
		return 1;
	page = area + STACK;
	if (pthread_create(&thread, NULL, flip, NULL))
		return 1;
	coroutine.uc_stack.ss_sp = area;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &here;
	makecontext(&coroutine, burn_turning, 0);
	if (swapcontext(&here, &coroutine))
		return 1;
	is_over = 1;
	return pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int failed;

	if (argc < 3)
		return 2;
	ms = strtoull(argv[2], NULL, 10);
	failed = strcmp(argv[1], "hole") ? burn_in_coroutine() : burn_above_hole();
	printf("%s\n", failed ? "failed" : "done");
	return failed;
}
