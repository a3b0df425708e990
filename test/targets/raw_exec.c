/* SPDX-License-Identifier: MIT */
/*
 * raw_exec.c - becomes another program by a system call of its own, as Go programs do. No wrapper of
 * the recorder's is called.
 *
 *	raw_exec THREADS PROGRAM ARGUMENT...
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static volatile uint64_t sink;

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

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t thread;

	for (int i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, work, NULL) != 0)
			return 99;
	sink = burn(sink, BURN_LONG);
	raw_execve(argv[2], argv + 2, environ);
	return 99;
}
