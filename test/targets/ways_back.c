/* SPDX-License-Identifier: MIT */
/*
 * ways_back.c - runs in functions that are come to in many ways, so that each stack is one of a few.
 *
 * ways_back ROUNDS. What is below `leaf` is always one of: deep x 21, big; in_sort, compare; in_handler, that has interrupted
 * `raises`; in_handler on an alternate stack; with_room, which has a frame of a size that is not known before; in_thread.
 * Most have `often` between. test/live/recorder/ways_back.sh knows them.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_OF_LINE __attribute__((noinline))

static volatile unsigned long sink;

OUT_OF_LINE static void leaf(void)
{
	for (int i = 0; i < 1000; i++)
		sink += (unsigned)i;
}

static void often(void)
{
	for (int i = 0; i < 50; i++)
		leaf();
}

OUT_OF_LINE static void big(int n)
{
	char bytes[4096];

	memset(bytes, n, sizeof(bytes));
	often();
	sink += (unsigned char)bytes[n];
}

OUT_OF_LINE static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		big((int)(sink % 8));
	sink++;
}

OUT_OF_LINE static int compare(const void *a, const void *b)
{
	leaf();
	return *(const int *)a - *(const int *)b;
}

OUT_OF_LINE static void in_sort(void)
{
	int numbers[16];

	for (int i = 0; i < 16; i++)
		numbers[i] = i * 7919 % 16;
	qsort(numbers, 16, sizeof(numbers[0]), compare);
	sink++;
}

static void in_handler(int number)
{
	(void)number;
	often();
}

OUT_OF_LINE static void raises(int number)
{
	raise(number);
	sink++;
}

OUT_OF_LINE static void with_room(unsigned n)
{
	char *bytes = alloca(n * 16 + 16);

	memset(bytes, 1, n + 1);
	often();
	sink += (unsigned char)bytes[0];
}

OUT_OF_LINE static void in_thread(void)
{
	often();
}

static void *thread(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++)
		in_thread();
	return NULL;
}

int main(int argc, char **argv)
{
	static char room[1 << 16];
	stack_t other = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t there;

	sigaltstack(&other, NULL);
	sigaction(SIGUSR2, &action, NULL);
	signal(SIGUSR1, in_handler);
	pthread_create(&there, NULL, thread, &rounds);
	for (int i = 0; i < rounds; i++) {
		deep(20);
		in_sort();
		raises(SIGUSR1);
		raises(SIGUSR2);
		with_room((unsigned)i % 50);
	}
	pthread_join(there, NULL);
	puts("done");
	return 0;
}
