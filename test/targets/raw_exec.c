/* SPDX-License-Identifier: MIT */
/*
 * raw_exec.c - becomes another program by a system call of its own, as Go programs do. No wrapper of
 * the recorder's is called.
 *
 *	raw_exec THREADS PROGRAM ARGUMENT...
 *
 * Before that it uses CPU time, makes system calls and touches new pages. With a negative number another thread than the
 * first one becomes the program. With 0 a child that waits has the same memory, so that exec does not unmap it.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define PAGE  4096
#define PAGES 256

static volatile uint64_t sink;
static char **arguments;

static void *work(void *argument)
{
	for (;;)
		sink = burn(sink + (size_t)argument, 10000);
	return NULL;
}

static long raw_execve(const char *path, char **argv, char **envp)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_execve), "D"(path), "S"(argv), "d"(envp)
			 : "rcx", "r11", "memory");
	return result;
}

static void use_kernel(void)
{
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	for (int i = 0; pages != MAP_FAILED && i < PAGES; i++) {
		pages[(size_t)i * PAGE] = 1;
		syscall(SYS_getppid);
	}
}

static void *become(void *argument)
{
	(void)argument;
	sink = burn(sink, BURN_LONG);
	use_kernel();
	raw_execve(arguments[0], arguments, environ);
	_exit(99);
}

static int wait_for_ever(void *argument)
{
	(void)argument;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return 0;
}

int main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	int threads = argc > 2 ? atoi(argv[1]) : 1;
	pthread_t thread;

	arguments = argv + 2;
	if (threads == 0 &&
	    clone(wait_for_ever, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL) < 0)
		return 99;
	for (int i = 1; i < abs(threads); i++)
		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return 99;
	if (threads < 0 && pthread_create(&thread, NULL, become, NULL) != 0)
		return 99;
	if (threads < 0)
		work(NULL);
	become(NULL);
}
