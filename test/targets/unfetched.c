/* SPDX-License-Identifier: MIT */
/*
 * unfetched.c - jumps to a place where no code can be, again and again, and returns by a SIGSEGV handler.
 *
 * unfetched [ROUNDS]
 *
 * A signal may come between the jump and its fault. Ends with 7 if the fault lies elsewhere.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static char *nowhere;

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	if (regs[REG_RIP] != (greg_t)nowhere)
		_exit(7);
	regs[REG_RIP] = *(greg_t *)regs[REG_RSP];
	regs[REG_RSP] += 8;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;

	nowhere = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nowhere == MAP_FAILED || sigaction(SIGSEGV, &action, NULL))
		return 1;
	nowhere += 2048;
	for (long i = 0; i < rounds; i++)
		((void (*)(void))nowhere)();
	puts("returned");
	return 0;
}
