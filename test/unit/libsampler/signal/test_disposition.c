/* SPDX-License-Identifier: MIT */
/*
 * test_disposition.c - several threads change and read a disposition; none waits for another one.
 *
 * Seen to fail: if a reader waits by sched_yield until a writer is done, threads with a real-time
 * priority keep the processor from the writer, up to the kernel's limit of 0.95 s each time.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "libsampler/base/sys.h"
#include "libsampler/signal/disposition.h"

#define WRITERS 3
#define ROUNDS	20000

static atomic_bool is_over;
static atomic_ulong reads, torn;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

/* A disposition all of whose parts say the same. */
static struct sigaction action_of(unsigned char n)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_flags = n;
	memset(&action.sa_mask, n, sizeof(uint64_t));
	action.sa_restorer = (void (*)(void))(uintptr_t)n;
	return action;
}

static void *write_it(void *number)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct sigaction action = action_of((unsigned char)((uintptr_t)number + 16 * i));

		cps_disposition_set(SIGUSR2, &action);
	}
	return NULL;
}

static void *read_it(void *unused)
{
	struct sigaction action, whole;

	(void)unused;
	while (!is_over) {
		cps_disposition_get(SIGUSR2, &action);
		whole = action_of((unsigned char)action.sa_flags);
		torn += memcmp(&action.sa_mask, &whole.sa_mask, sizeof(uint64_t)) != 0 ||
			action.sa_restorer != whole.sa_restorer;
		reads++;
	}
	return NULL;
}

static void start(void)
{
	cr_assert_eq(cps_disposition_take(SIGUSR2, handler), 0);
	struct sigaction first = action_of(1);
	cps_disposition_set(SIGUSR2, &first);
}

Test(disposition, reads_are_whole, .init = start)
{
	pthread_t writers[WRITERS], readers[2];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&readers[i], NULL, read_it, NULL);
	for (size_t i = 0; i < WRITERS; i++)
		pthread_create(&writers[i], NULL, write_it, (void *)(i + 1));
	for (size_t i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	is_over = true;
	for (size_t i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	cr_expect_gt(reads, 0);
	cr_expect_eq(torn, 0, "%lu of %lu reads", (unsigned long)torn, (unsigned long)reads);
}

static uint64_t longest_ns;

/* Reads with a real-time priority, on the only processor that the writer has. Without the permission
 * it has an ordinary priority. Returns whether it had the permission. */
static void *read_first(void *unused)
{
	const struct sched_param high = {.sched_priority = 1};
	const struct timespec nap = {0, 20000};
	bool is_first = sched_setscheduler(0, SCHED_FIFO, &high) == 0;
	struct sigaction action;

	(void)unused;
	while (!is_over) {
		uint64_t begin = cps_sys_clock_ns(CLOCK_MONOTONIC), took;

		cps_disposition_get(SIGUSR2, &action);
		took = cps_sys_clock_ns(CLOCK_MONOTONIC) - begin;
		longest_ns = took > longest_ns ? took : longest_ns;
		reads++;
		nanosleep(&nap, NULL);
	}
	return is_first ? &longest_ns : NULL;
}

Test(disposition, a_reader_with_priority_waits_for_nobody, .init = start)
{
	pthread_t writer, reader;
	cpu_set_t one, all;
	void *was_first;

	cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&reader, NULL, read_first, NULL);
	for (int i = 0; i < 10; i++) {
		pthread_create(&writer, NULL, write_it, (void *)(uintptr_t)1);
		pthread_join(writer, NULL);
	}
	is_over = true;
	pthread_join(reader, &was_first);
	cr_expect_gt(reads, 0);
	if (was_first)
		cr_expect_lt(longest_ns, 300000000, "%lu ms", (unsigned long)longest_ns / 1000000);
}
