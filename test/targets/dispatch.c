/* SPDX-License-Identifier: MIT */
/*
 * dispatch.c - handles system calls itself (Syscall User Dispatch), as Wine and interposers do.
 *
 * dispatch [prctl|syscall|refused] [PROGRAM ARGUMENT...]: works; asks for the dispatch, by prctl(2), by syscall(2) or
 * in a way that the kernel refuses; works with a selector that allows no system call at all; allows them again, and
 * prints "ok" or becomes PROGRAM. Without Syscall User Dispatch in the kernel it ends with 77.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SET_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */
#define ON	     1
#define ALLOW	     0
#define BLOCK	     1

static volatile char selector = ALLOW;

/* No system call, not even a look at the clock. */
static void work(void)
{
	volatile long sum = 0;

	for (long i = 0; i < 60000000; i++)
		sum += i;
	(void)sum;
}

static long ask(const char *how)
{
	if (!strcmp(how, "syscall"))
		return syscall(SYS_prctl, SET_DISPATCH, ON, 0, 0, &selector);
	return prctl(SET_DISPATCH, strcmp(how, "refused") ? ON : 99, 0, 0, &selector);
}

int main(int n, char **arguments)
{
	const char *how = n > 1 ? arguments[1] : "prctl";

	work();
	if ((ask(how) != 0) != !strcmp(how, "refused"))
		return 77;
	for (int i = 0; i < 10; i++) {
		selector = BLOCK;
		work();
		selector = ALLOW;
		usleep(1000);
	}
	if (n > 2)
		execv(arguments[2], arguments + 2);
	puts("ok");
	return 0;
}
