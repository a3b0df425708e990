/* SPDX-License-Identifier: MIT */
/*
 * relays.c - a program with very many handlers of signals that run on its alternate stack.
 *
 *	relays many    3,000 handlers one after the other, while the first stays; then the oldest ones again
 *	relays deep    the same, each of which uses 200 KiB of its stack
 *	relays vfork   a child of vfork has a handler of its own, after so many
 *
 * Each handler knows its number, and looks where it runs. What it has found is printed; the same with and without a recorder.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { MANY = 3000, BYTES = 1 << 20, DEEP = 200 << 10 };

static char *stack;
static volatile sig_atomic_t ran,
	elsewhere; /* the number of the latest handler; where they ran not on the stack */
static volatile int is_deep;
static volatile uint64_t sink;

/* The frame of a handler is at the end of the alternate stack, below what the kernel has put there. */
static void note(int number)
{
	char *here = __builtin_frame_address(0);

	ran = number;
	elsewhere += here < stack + BYTES - (64 << 10) || here >= stack + BYTES;
}

static __attribute__((noinline)) void use_much(void)
{
	volatile char much[DEEP];

	for (size_t i = 0; i < sizeof(much); i += 64)
		much[i] = 1;
}

#define HANDLER(n)                                                                                 \
	static void handler_##n(int signal)                                                        \
	{                                                                                          \
		(void)signal;                                                                      \
		note(1##n - 10000);                                                                \
		if (is_deep)                                                                       \
			use_much();                                                                \
	}
#define NAME(n) handler_##n,
/* clang-format off */
#define TEN(what, n) \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n) \
	TEN(what, n##0) TEN(what, n##1) TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) \
	TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
#define THOUSAND(what, n) \
	HUNDRED(what, n##0) HUNDRED(what, n##1) HUNDRED(what, n##2) HUNDRED(what, n##3) HUNDRED(what, n##4) \
	HUNDRED(what, n##5) HUNDRED(what, n##6) HUNDRED(what, n##7) HUNDRED(what, n##8) HUNDRED(what, n##9)

THOUSAND(HANDLER, 0) THOUSAND(HANDLER, 1) THOUSAND(HANDLER, 2)

static void (*const handlers[MANY])(int) = {THOUSAND(NAME, 0) THOUSAND(NAME, 1) THOUSAND(NAME, 2)};
/* clang-format on */

static void install(int signal, int number)
{
	struct sigaction action = {.sa_handler = handlers[number], .sa_flags = SA_ONSTACK}, old;

	if (sigaction(signal, &action, NULL) != 0 || sigaction(signal, NULL, &old) != 0 ||
	    old.sa_handler != handlers[number])
		exit(90);
}

static int runs(int signal, int number)
{
	ran = -1;
	raise(signal);
	return ran == number;
}

static void many(void)
{
	int right = 0, first = 0, again = 0;

	install(SIGUSR2, 0);
	for (int i = 1; i < MANY; i++) {
		install(SIGUSR1, i);
		right += runs(SIGUSR1, i);
		first += runs(SIGUSR2, 0);
		if (i % 10 == 0)
			sink = burn(sink, 20000);
	}
	for (int i = 1; i < 500; i++) {
		install(SIGUSR1, i);
		again += runs(SIGUSR1, i);
		first += runs(SIGUSR2, 0);
	}
	printf("right %d, the first %d, again %d, elsewhere %d\n", right, first, again,
	       (int)elsewhere);
}

static void in_child_of_vfork(void)
{
	int status = 0;
	pid_t pid;

	many();
	pid = vfork();
	if (pid == 0) {
		for (int i = 1500; i < 1600; i++) {
			install(SIGUSR2, i);
			if (!runs(SIGUSR2, i))
				_exit(91);
		}
		_exit(elsewhere != 0);
	}
	waitpid(pid, &status, 0);
	printf("child %d, the first %d, the last %d\n", status, runs(SIGUSR2, 0),
	       runs(SIGUSR1, 499));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	stack_t s = {.ss_size = BYTES};

	/* It lies alone: what is beyond it does not count as it. */
	stack = mmap(NULL, 3 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return 99;
	stack += BYTES;
	mprotect(stack, BYTES, PROT_READ | PROT_WRITE);
	s.ss_sp = stack;
	sigaltstack(&s, NULL);
	is_deep = strcmp(mode, "deep") == 0;
	if (is_deep || strcmp(mode, "many") == 0)
		many();
	else if (strcmp(mode, "vfork") == 0)
		in_child_of_vfork();
	else
		return 99;
	return 0;
}
