/* SPDX-License-Identifier: MIT */
/*
 * phase.c - programs whose rhythm is that of the kernel's tick, or that live shorter than it.
 *
 * phase wall US SECONDS: never sleeps, and changes by the time of day between two functions, the first
 * of which has three tenths of each US microseconds. phase sleep SECONDS: works 0.3 ms in one function
 * and 0.7 ms in the other, and sleeps for 0.2 ms. phase turns US US SECONDS: every 4 ms works so long in
 * one function or the other, in turn, and sleeps until the next 4 ms begin. phase threads N: N threads, one after the other,
 * which use 2 ms in one function and 1 ms in the other. phase blocked SECONDS: computes in one function, and in the other
 * works in the kernel and is blocked there, as by a disk: no signal ends that sleep. Prints what they have really used:
 *
 *   FUNCTION NS (per function)
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

#define TURNS 2000ul /* between two looks at the time; about 3 us */

static uint64_t used_ns[2], sink;

/* Each works until the clock is at the end. */
static __attribute__((noinline)) uint64_t first(clockid_t clock, uint64_t end, uint64_t x)
{
	while (cpu_ns(clock) < end)
		x = burn(x + 1, TURNS);
	return x;
}

static __attribute__((noinline)) uint64_t second(clockid_t clock, uint64_t end, uint64_t x)
{
	while (cpu_ns(clock) < end)
		x = burn(x + 1, TURNS) + 1;
	return x;
}

/* Measures a call. */
static void work(unsigned which, clockid_t clock, uint64_t end)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t x = (which ? second : first)(clock, end, begin);

	sink += x;
	used_ns[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void by_wall(uint64_t period, uint64_t seconds)
{
	uint64_t now = cpu_ns(CLOCK_MONOTONIC), end = now + seconds * 1000000000, begin;

	while ((now = cpu_ns(CLOCK_MONOTONIC)) < end) {
		begin = now / period * period;
		if (now - begin < period / 10 * 3)
			work(0, CLOCK_MONOTONIC, begin + period / 10 * 3);
		work(1, CLOCK_MONOTONIC, begin + period);
	}
}

static void work_for(unsigned which, uint64_t ns)
{
	work(which, CLOCK_THREAD_CPUTIME_ID, cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ns);
}

static void with_sleep(uint64_t seconds)
{
	const struct timespec sleep = {0, 200000};

	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < seconds * 1000000000) {
		work_for(0, 300000);
		work_for(1, 700000);
		nanosleep(&sleep, NULL);
	}
}

static void sleep_until(uint64_t ns)
{
	const struct timespec until = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void in_turn(const uint64_t us[2], uint64_t seconds)
{
	const uint64_t period = 4000000;
	uint64_t now = cpu_ns(CLOCK_MONOTONIC), end = now + seconds * 1000000000;

	for (unsigned n = 0; now < end; n++) {
		sleep_until((now / period + 1) * period);
		work_for(n % 2, us[n % 2] * 1000);
		now = cpu_ns(CLOCK_MONOTONIC);
	}
}

static void *live_shortly(void *unused)
{
	work_for(0, 2000000);
	work_for(1, 1000000);
	return unused;
}

static void by_threads(unsigned long n)
{
	pthread_t thread;

	while (n--)
		if (pthread_create(&thread, NULL, live_shortly, NULL) == 0)
			pthread_join(thread, NULL);
}

/* The system call copies the process and then waits until the copy has ended. Only signals that kill end that. The
 * copy waits for a while, and ends, without the C library. */
static __attribute__((noinline)) uint64_t second_blocked(uint64_t x)
{
	const struct timespec nap = {0, 300000};
	register long none __asm__("r10") = 0;
	long child = SYS_clone;

	__asm__ volatile(
		"syscall\n\t"
		"test %%eax, %%eax\n\t"
		"jnz 1f\n\t"
		"movl %[sleep], %%eax\n\t"
		"movq %[nap], %%rdi\n\t"
		"syscall\n\t"
		"movl %[end], %%eax\n\t"
		"xorl %%edi, %%edi\n\t"
		"syscall\n\t"
		"1:"
		: "+a"(child)
		: "D"((long)(CLONE_VFORK | SIGCHLD)), "S"(0L), "d"(0L),
		  "r"(none), [sleep] "i"(SYS_nanosleep), [end] "i"(SYS_exit_group), [nap] "r"(&nap)
		: "rcx", "r11", "memory");
	if (child > 0)
		waitpid((pid_t)child, NULL, 0);
	return x + (uint64_t)child;
}

static void blocked(uint64_t seconds)
{
	uint64_t begin;

	while (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < seconds * 1000000000) {
		work_for(0, 200000);
		begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		sink += second_blocked(begin);
		used_ns[1] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc > 3 && strcmp(argv[1], "wall") == 0)
		by_wall(n * 1000, strtoul(argv[3], NULL, 10));
	else if (argc > 2 && strcmp(argv[1], "sleep") == 0)
		with_sleep(n);
	else if (argc > 4 && strcmp(argv[1], "turns") == 0)
		in_turn((uint64_t[2]){n, strtoul(argv[3], NULL, 10)}, strtoul(argv[4], NULL, 10));
	else if (argc > 2 && strcmp(argv[1], "threads") == 0)
		by_threads(n);
	else if (argc > 2 && strcmp(argv[1], "blocked") == 0)
		blocked(n);
	else
		return 2;
	printf("first %llu\nsecond %llu\n", (unsigned long long)used_ns[0],
	       (unsigned long long)used_ns[1]);
	printf("process %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return sink == 42;
}
