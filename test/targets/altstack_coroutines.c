/* SPDX-License-Identifier: MIT */
/*
 * altstack_coroutines.c - coroutines on stacks that were made by sigaltstack, as in GNU Pth, libcoro and QEMU.
 *
 * A handler begins on the alternate stack that was just set, and leaves a place there to which longjmp
 * comes back later, when the stack is not the alternate one any more. Each way, with stacks of 8 and of
 * 32 KiB:
 *
 *	returns   the signal is waited for in sigsuspend, the handler returns, and the stack is taken away
 *	stays     the handler leaves by longjmp, and the stack stays set until the next one is
 *	disarms   the same, with SS_AUTODISARM
 *
 * Each coroutine keeps a pattern in its frame, computes, and sets its stack as the alternate one while it
 * is on it, which the kernel permits if another one was set. What does a coroutine find of it, where does
 * it run, and has anybody written to the end of its stack, which it does not need? Then handlers are
 * asked where they run and what they are told. Prints the same with and without a recorder.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

#define AUTODISARM ((int)(1u << 31)) /* SS_AUTODISARM, which glibc does not declare */

enum { COROUTINES = 4, PATTERN = 1024, UNUSED = 1024, ROUNDS = 8, MS = 5 };

enum way { RETURNS, STAYS, DISARMS, WAYS };

static const char *const names[WAYS] = {"returns", "stays", "disarms"};

static struct coroutine {
	char *stack;
	size_t bytes;
	jmp_buf place;
	int wrong, elsewhere, told, set, is_on;
} all[COROUTINES], *current;

static jmp_buf scheduler;
static enum way way;
static volatile sig_atomic_t calls;

static bool is_on(const char *stack, size_t bytes)
{
	char *here = __builtin_frame_address(0);

	return here > stack && here <= stack + bytes;
}

/* The life of a coroutine. It never returns. */
static void live(struct coroutine *c, unsigned char own)
{
	volatile unsigned char pattern[PATTERN];
	stack_t own_stack = {.ss_sp = c->stack, .ss_size = c->bytes}, now;

	for (int i = 0; i < PATTERN; i++)
		pattern[i] = own;
	for (;;) {
		if (_setjmp(c->place) == 0)
			_longjmp(scheduler, 1);
		burn_for(MS, 40000);
		c->set += sigaltstack(&own_stack, NULL);
		sigaltstack(NULL, &now);
		c->is_on += now.ss_sp == c->stack && now.ss_flags == SS_ONSTACK;
		burn_for(MS, 40000);
		c->elsewhere += !is_on(c->stack, c->bytes);
		for (int i = 0; i < PATTERN; i++)
			c->wrong += pattern[i] != own;
	}
}

static void make(int number)
{
	struct coroutine *c = current;
	stack_t now, other = {.ss_flags = SS_DISABLE};

	(void)number;
	calls++;
	sigaltstack(NULL, &now);
	c->told = now.ss_flags;
	if (way != DISARMS)
		c->told += 10 * sigaltstack(&other, NULL);
	if (_setjmp(c->place) == 0) {
		if (way == RETURNS)
			return;
		_longjmp(scheduler, 1);
	}
	live(current, (unsigned char)(1 + (current - all)));
}

static void send(void)
{
	sigset_t set, before;

	if (way != RETURNS) {
		raise(SIGUSR1);
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	pthread_kill(pthread_self(), SIGUSR1);
	for (int had = calls; calls == had;)
		sigsuspend(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void create(struct coroutine *c, size_t bytes)
{
	stack_t s = {.ss_sp = c->stack, .ss_size = bytes}, off = {.ss_flags = SS_DISABLE};

	c->bytes = bytes;
	c->wrong = c->elsewhere = c->set = c->is_on = 0;
	memset(c->stack, 0x77, bytes);
	current = c;
	s.ss_flags = way == DISARMS ? AUTODISARM : 0;
	if (sigaltstack(&s, NULL) != 0)
		abort();
	burn_for(MS, 40000);
	if (_setjmp(scheduler) == 0)
		send();
	burn_for(MS, 40000);
	if (way == RETURNS)
		sigaltstack(&off, NULL);
}

static void resume(struct coroutine *c)
{
	current = c;
	if (_setjmp(scheduler) == 0)
		_longjmp(c->place, 1);
}

static void report(struct coroutine *c)
{
	int touched = 0;

	for (int i = 0; i < UNUSED; i++)
		touched += c->stack[i] != 0x77;
	printf("%s, %zu bytes: told %d, set %d, is on %d, elsewhere %d, wrong %d, beyond %d\n",
	       names[way], c->bytes, c->told, c->set, c->is_on, c->elsewhere, c->wrong, touched);
}

static void run(size_t bytes)
{
	struct sigaction action = {.sa_handler = make, .sa_flags = SA_ONSTACK | SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < COROUTINES; i++)
		create(&all[i], bytes);
	for (int k = 0; k < COROUTINES * ROUNDS; k++)
		resume(&all[k % COROUTINES]);
	for (int i = 0; i < COROUTINES; i++)
		report(&all[i]);
}

/* ---- where handlers run, and what they are told ---------------------------------------------- */

static char *expected;
static size_t expected_bytes;

static void nested(int number, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	char *sp = (char *)uc->uc_mcontext.gregs[REG_RSP];

	__asm__ volatile("pxor %%xmm5, %%xmm5" : : : "xmm5");
	printf("%d: code %d, here %d, context near %d, beside what was interrupted %d\n", number,
	       info->si_code, is_on(expected, expected_bytes), is_on((char *)context - 4096, 4096),
	       sp - (char *)context < 8192 && sp > (char *)context);
}

static void outer(int number, siginfo_t *info, void *context)
{
	nested(number, info, context);
	raise(SIGUSR2);
}

/* Sends a signal to the thread from where the compiler keeps nothing. Is a register what it was? */
static bool send_with_register(int number)
{
	uint64_t before = 0x123456789abcdef, after;

	__asm__ volatile("movq %[before], %%xmm5\n\tsyscall\n\tmovq %%xmm5, %[after]"
			 : [after] "=r"(after)
			 : "a"(SYS_tgkill), "D"(getpid()), "S"(gettid()),
			   "d"(number), [before] "r"(before)
			 : "rcx", "r11", "xmm5", "memory");
	return before == after;
}

static void ask(const char *what)
{
	printf("%s\n", what);
	printf("as it was: %d\n", send_with_register(SIGUSR1));
	fflush(stdout);
}

static void handlers(void)
{
	struct sigaction action = {.sa_sigaction = outer, .sa_flags = SA_ONSTACK | SA_SIGINFO}, old;
	stack_t s = {.ss_sp = malloc(16384), .ss_size = 16384}, off = {.ss_flags = SS_DISABLE};

	sigaction(SIGUSR1, &action, NULL);
	action.sa_sigaction = nested;
	sigaction(SIGUSR2, &action, NULL);
	sigaltstack(&off, NULL);
	expected = (char *)__builtin_frame_address(0) - 16384;
	expected_bytes = 16384;
	ask("no alternate stack");
	expected = s.ss_sp;
	sigaltstack(&s, NULL);
	ask("an alternate stack");
	sigaction(SIGUSR1, NULL, &old);
	printf("asked: %d", old.sa_sigaction == outer);
	printf(" %d", signal(SIGUSR1, SIG_DFL) == (sighandler_t)(void *)outer);
	printf(" %d\n", signal(SIGUSR1, SIG_DFL) == SIG_DFL);
}

int main(void)
{
	for (int i = 0; i < COROUTINES; i++)
		all[i].stack = aligned_alloc(4096, 32768);
	for (way = 0; way < WAYS; way++) {
		run(8192);
		run(32768);
	}
	handlers();
	return 0;
}
