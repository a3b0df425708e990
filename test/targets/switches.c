/* SPDX-License-Identifier: MIT */
/*
 * switches.c - gives up its processor a known number of times in two functions, and says what getrusage has
 * counted.
 *
 * In: a mode, and how often. Out: lines "name number".
 *
 *	switches nap N [THREADS]    naps N times in nap_often and N / 10 times in nap_rarely, in each thread
 *	switches gasp N             naps by a system call of its own, uses CPU time and naps, in gasp
 *	switches share N            two threads use N ms of one processor each, in share
 *	switches move N             moves itself to another processor N times, in move, and naps N times
 *	switches fork N             naps as above in a child and in itself
 *	switches pause N            naps as above, and N times in nap_often more while it has paused the recording
 *	switches vfork N            naps N times in nap_often, in a child that has its memory
 *	switches stuck              ends while a thread waits for ever
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libsampler/cpsample.h"
#include "burn.h"

static unsigned long n;

static __attribute__((noinline)) void nap(void)
{
	const struct timespec moment = {0, 1000};

	nanosleep(&moment, NULL);
	__asm__ volatile("");
}

static __attribute__((noinline)) void nap_often(void)
{
	for (unsigned long i = 0; i < n; i++)
		nap();
	__asm__ volatile("");
}

static __attribute__((noinline)) void nap_rarely(void)
{
	for (unsigned long i = 0; i < n / 10; i++)
		nap();
	__asm__ volatile("");
}

static void *naps(void *argument)
{
	nap_often();
	nap_rarely();
	return argument;
}

static void in_threads(int threads)
{
	pthread_t thread[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, naps, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

/* Passes by the wrappers. */
static __attribute__((noinline)) void gasp(void)
{
	const struct timespec moment = {0, 1000};
	long result;

	for (unsigned long i = 0; i < n; i++) {
		__asm__ volatile("syscall"
				 : "=a"(result)
				 : "a"(SYS_nanosleep), "D"(&moment), "S"(0)
				 : "rcx", "r11", "memory");
		burn_for(1, 20000);
		nap();
	}
}

/* The first two processors that it may use; returns how many there are. */
static int find_processors(cpu_set_t one[2])
{
	cpu_set_t all;
	int k = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < CPU_SETSIZE && k < 2; i++)
		if (CPU_ISSET((size_t)i, &all)) {
			CPU_ZERO(&one[k]);
			CPU_SET((size_t)i, &one[k++]);
		}
	return k;
}

static void *share(void *argument)
{
	burn_for(n, 100000);
	return argument;
}

static void in_turn(void)
{
	cpu_set_t one[2];
	pthread_t other;

	find_processors(one);
	sched_setaffinity(0, sizeof(one[0]), &one[0]);
	pthread_create(&other, NULL, share, NULL);
	share(NULL);
	pthread_join(other, NULL);
}

static __attribute__((noinline)) int move(void)
{
	cpu_set_t one[2];

	if (find_processors(one) < 2)
		return 77;
	sched_setaffinity(0, sizeof(one[0]), &one[0]);
	for (unsigned long i = 1; i <= n; i++) {
		sched_setaffinity(0, sizeof(one[0]), &one[i % 2]);
		nap();
	}
	return 0;
}

static void pause_between(void)
{
	nap_often();
	cpsample_stop();
	nap_often();
	cpsample_start();
	nap_rarely();
}

static void in_child(void)
{
	pid_t child = vfork();

	if (child == 0) {
		nap_often();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void *wait_for_ever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void get_stuck(void)
{
	const struct timespec moment = {0, 20000000};
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	nanosleep(&moment, NULL);
}

static int act(const char *mode, int threads)
{
	if (strcmp(mode, "nap") == 0 && threads)
		in_threads(threads);
	else if (strcmp(mode, "nap") == 0)
		naps(NULL);
	else if (strcmp(mode, "gasp") == 0)
		gasp();
	else if (strcmp(mode, "share") == 0)
		in_turn();
	else if (strcmp(mode, "move") == 0)
		return move();
	else if (strcmp(mode, "pause") == 0)
		pause_between();
	else if (strcmp(mode, "vfork") == 0)
		in_child();
	else if (strcmp(mode, "stuck") == 0)
		get_stuck();
	else
		return 2;
	return 0;
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	const char *mode = argc > 1 ? argv[1] : "";
	int status;

	n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (strcmp(mode, "fork") == 0) {
		mode = "nap";
		if (fork() != 0)
			wait(NULL);
	}
	getrusage(RUSAGE_SELF, &before);
	status = act(mode, argc > 3 ? atoi(argv[3]) : 0);
	getrusage(RUSAGE_SELF, &after);
	printf("blocked %ld\npreempted %ld\n", after.ru_nvcsw - before.ru_nvcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
	return status;
}
