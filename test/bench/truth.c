/* SPDX-License-Identifier: MIT */
/*
 * truth.c - programs whose functions measure what they use, for the figure `truth` of the bench.
 *
 * truth threads MS       four threads at once, which use MS, 2 MS, 3 MS and 4 MS
 * truth child WHICH MS   one function, one or two, uses MS: what a shell script starts
 * truth slots MS         works for 3 ms and 1 ms within each 8 ms of the day, and sleeps between
 * truth deep MS          burns below 1,000 calls of a function, which two others have called
 * truth mutual MS        two functions call each other, to depths that are drawn; even does twice
 *                        the work of odd, which is counted
 * truth handlers MS      two functions raise a signal, whose handler burns
 *
 * MS is CPU time. Prints "self NAME N" or "total NAME N" for functions, and "process N" for all.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../targets/burn.h"
#include "draw.h"

#define MS	  UINT64_C(1000000)
#define TURNS	  2000ul /* between two looks at the time; about 3 us */
#define FRAMES	  1000
#define MOST_DEEP 40

static uint64_t used[4], sink;
static uint64_t end; /* of the process's CPU time */

static int is_over(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) >= end;
}

static void say(const char *what, const char *name, uint64_t n)
{
	printf("%s %s %llu\n", what, name, (unsigned long long)n);
}

/* ---- threads ------------------------------------------------------------------------------------- */

/* Each in a function of its own, which is where its thread begins. */
#define WORKER(name, which)                                                                        \
	static void *name(void *ms)                                                                \
	{                                                                                          \
		uint64_t until = *(uint64_t *)ms * ((which) + 1) * MS, x = 1;                      \
                                                                                                   \
		while ((used[which] = cpu_ns(CLOCK_THREAD_CPUTIME_ID)) < until)                    \
			x = burn(x + 1, 50000);                                                    \
		return x == 42 ? ms : NULL;                                                        \
	}

WORKER(ten, 0)
WORKER(twenty, 1)
WORKER(thirty, 2)
WORKER(forty, 3)

static void threads(uint64_t ms)
{
	static void *(*const worker[4])(void *) = {ten, twenty, thirty, forty};
	static const char *const name[4] = {"ten", "twenty", "thirty", "forty"};
	pthread_t thread[4];

	ms /= 10;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, worker[i], &ms))
			abort();
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		say("total", name[i], used[i]);
	}
}

/* ---- functions that work until a clock is at the end ------------------------------------------------ */

static uint64_t one(clockid_t clock, uint64_t until, uint64_t x)
{
	while (cpu_ns(clock) < until)
		x = burn(x + 1, TURNS);
	return x;
}

static uint64_t two(clockid_t clock, uint64_t until, uint64_t x)
{
	while (cpu_ns(clock) < until)
		x = burn(x + 1, TURNS) + 1;
	return x;
}

static void work(unsigned which, uint64_t ns)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	sink += (which ? two : one)(CLOCK_THREAD_CPUTIME_ID, begin + ns, begin);
	used[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void child(const char *name, uint64_t ms)
{
	unsigned which = strcmp(name, "two") == 0;

	work(which, ms * MS);
	say("total", which ? "two" : "one", used[which]);
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void slots(void)
{
	while (!is_over()) {
		uint64_t slot = cpu_ns(CLOCK_MONOTONIC) / (8 * MS) * 8 * MS;

		work(0, 3 * MS);
		sleep_until(slot + 4 * MS);
		work(1, 1 * MS);
		sleep_until(slot + 8 * MS);
	}
	say("total", "one", used[0]);
}

/* ---- recursion ----------------------------------------------------------------------------------- */

static uint64_t descend(unsigned frames, unsigned long turns)
{
	if (frames <= 1)
		return burn(frames, turns);
	return descend(frames - 1, turns) + frames;
}

static uint64_t deep_left(unsigned long turns)
{
	return descend(FRAMES, turns) + 1;
}

static uint64_t deep_right(unsigned long turns)
{
	return descend(FRAMES, turns) + 2;
}

static void deep(void)
{
	while (!is_over()) {
		unsigned which = draw(100) >= 70;
		uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

		sink += (which ? deep_right : deep_left)(40000 + draw(400000));
		used[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	say("total", "deep_left", used[0]);
}

static uint64_t odd(unsigned depth, unsigned long turns);

static uint64_t even(unsigned depth, unsigned long turns)
{
	uint64_t x = burn(depth, 2 * turns);

	used[0] += 2;
	return depth ? x + odd(depth - 1, turns) : x;
}

static uint64_t odd(unsigned depth, unsigned long turns)
{
	uint64_t x = burn(depth, turns);

	used[1] += 1;
	return depth ? x + even(depth - 1, turns) : x;
}

static void mutual(void)
{
	while (!is_over())
		sink += (draw(2) ? odd : even)((unsigned)draw(MOST_DEEP), 20000);
	say("self", "even", used[0]);
	printf("process %llu\n", (unsigned long long)(used[0] + used[1]));
}

/* ---- handlers ------------------------------------------------------------------------------------ */

static volatile unsigned long turns_to_burn;

static void on_signal(int number)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

	sink += burn((uint64_t)number, turns_to_burn);
	used[2] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static int raise_left(void)
{
	return raise(SIGUSR1) + 1;
}

static int raise_right(void)
{
	return raise(SIGUSR1) + 2;
}

static void handlers(void)
{
	signal(SIGUSR1, on_signal);
	while (!is_over()) {
		unsigned which = draw(100) >= 70;
		uint64_t begin;

		sink += burn(sink, draw(200000));
		turns_to_burn = 40000 + draw(400000);
		begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		sink += (uint64_t)(which ? raise_right : raise_left)();
		used[which] += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	say("total", "raise_left", used[0]);
	say("total", "on_signal", used[2]);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	uint64_t ms = argc > 2 ? strtoull(argv[argc - 1], NULL, 10) : 0;

	end = ms * MS;
	if (strcmp(what, "threads") == 0)
		threads(ms);
	else if (strcmp(what, "child") == 0)
		child(argv[2], ms);
	else if (strcmp(what, "slots") == 0)
		slots();
	else if (strcmp(what, "deep") == 0)
		deep();
	else if (strcmp(what, "mutual") == 0)
		mutual();
	else if (strcmp(what, "handlers") == 0)
		handlers();
	else
		return 2;
	if (strcmp(what, "mutual") != 0)
		printf("process %llu\n", (unsigned long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return sink == 42;
}
