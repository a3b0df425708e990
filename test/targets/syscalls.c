/* SPDX-License-Identifier: MIT */
/*
 * syscalls.c - makes a known number of system calls in two functions.
 *
 * In: N; threads that do so, 0 for the first one alone; and `burn` if it is to use CPU time in between. In
 * ask_often each makes N, in ask_rarely N / 10.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static unsigned long n;
static int burns;
static volatile uint64_t sink;

static __attribute__((noinline)) void ask(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++) {
		syscall(SYS_getppid);
		if (burns && i % 100 == 0)
			sink = burn(sink + 1, 400000);
	}
	__asm__ volatile("");
}

static __attribute__((noinline)) void ask_often(void)
{
	ask(n);
	__asm__ volatile("");
}

static __attribute__((noinline)) void ask_rarely(void)
{
	ask(n / 10);
	__asm__ volatile("");
}

static void *both(void *argument)
{
	ask_often();
	ask_rarely();
	return argument;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread[16];

	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	burns = argc > 3 && strcmp(argv[3], "burn") == 0;
	if (!threads)
		both(NULL);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, both, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
