/* SPDX-License-Identifier: MIT */
/*
 * attached_counts.c - a program that counts what it allocates and waits for, to be attached to.
 *
 * In: a mode, a plugin. Out: "ready"; after each SIGUSR1 "done" and lines NAME NUMBER of what was done since; until SIGTERM.
 *
 * threads PLUGIN  a thread allocates, two wait for each other, the first one opens the plugin again and again
 * single PLUGIN   all but the waiting, in one thread, which works in between
 * later PLUGIN    the same, but from the second round on another thread is there, which waits
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SELDOM 500 /* calls, and bytes of each */
#define BYTES  1000
#define KEPT   30
#define OLD    400
#define WAITS  20
#define OPENS  10
#define CALLS  40 /* of the plugin's, each time that it is open */

static atomic_bool is_over;
static bool is_later;
static atomic_uint round_asked, rounds_done[4];
static void *old[OLD], *kept[KEPT];
static uint64_t inner_ns, outer_ns;
static volatile unsigned long sink;

static void on_signal(int number)
{
	if (number == SIGTERM)
		is_over = true;
	else
		round_asked++;
}

static void nap(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- memory ---- */

/* The blocks go where the compiler does not see that nobody uses them. */
static void *volatile block;

static void allocate_seldom(void)
{
	for (int i = 0; i < SELDOM; i++) {
		block = malloc(BYTES);
		free(block);
	}
}

static void allocate_kept(void)
{
	for (int i = 0; i < KEPT; i++)
		kept[i] = malloc(BYTES);
}

/* Of the round before. */
static void give_back(void)
{
	for (int i = 0; i < KEPT; i++)
		free(kept[i]);
}

static void allocate_old(void)
{
	for (int i = 0; i < OLD; i++)
		old[i] = malloc(BYTES);
}

static void free_old(void)
{
	for (int i = 0; i < OLD; i++)
		free(old[i]);
}

/* Half of them grow before they are freed. */
static void grow_old(void)
{
	for (int i = 0; i < OLD; i += 2)
		old[i] = realloc(old[i], (size_t)2 * BYTES);
}

static void memory_round(void)
{
	allocate_seldom();
	give_back();
	allocate_kept();
	grow_old();
	free_old();
}

static void *run_memory(void *unused)
{
	(void)unused;
	while (!is_over) {
		if (rounds_done[1] != round_asked) {
			memory_round();
			rounds_done[1]++;
		}
		nap(1000000);
	}
	return NULL;
}

/* ---- locks ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn; /* 1: it is locked, 2: somebody has it and waits no more */
static atomic_int waiter;

static bool is_asleep(int tid)
{
	char path[64], text[256] = "", *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	state = strrchr(text, ')');
	return state && state[2] == 'S';
}

/* From when the other one sleeps until it is woken is no more than it waits. */
static void hold_lock(void)
{
	uint64_t since;

	pthread_mutex_lock(&mutex);
	turn = 1;
	while (turn != 2)
		nap(100000);
	while (!is_asleep(waiter))
		nap(100000);
	since = now_ns();
	nap(4000000);
	inner_ns += now_ns() - since;
	pthread_mutex_unlock(&mutex);
	while (turn != 0)
		nap(100000);
}

static void wait_for_lock(void)
{
	uint64_t since;

	while (turn != 1)
		nap(100000);
	turn = 2;
	since = now_ns();
	pthread_mutex_lock(&mutex);
	outer_ns += now_ns() - since;
	pthread_mutex_unlock(&mutex);
	turn = 0;
}

static void run_rounds(int which, void (*one)(void), int n)
{
	while (!is_over) {
		for (; rounds_done[which] != round_asked && !is_over; rounds_done[which]++)
			for (int i = 0; i < n; i++)
				one();
		nap(1000000);
	}
}

static void *run_holder(void *unused)
{
	(void)unused;
	run_rounds(2, hold_lock, WAITS);
	return NULL;
}

static void *run_waiter(void *unused)
{
	(void)unused;
	waiter = gettid();
	run_rounds(3, wait_for_lock, WAITS);
	return NULL;
}

/* ---- plugins ---- */

static void open_plugins(const char *path)
{
	for (int i = 0; i < OPENS; i++) {
		void *handle = dlopen(path, RTLD_LAZY);
		void (*plug)(int) = handle ? (void (*)(int))dlsym(handle, "plug_in") : NULL;

		if (!plug)
			exit(3);
		plug(CALLS);
		dlclose(handle);
	}
}

static void work(void)
{
	for (int i = 0; i < 100000; i++)
		sink += sink * 7 + 1;
}

static bool is_done(bool has_threads)
{
	for (int i = 1; i < 4; i++)
		if (has_threads && rounds_done[i] != round_asked)
			return false;
	return true;
}

static void tell(void)
{
	printf("allocate_seldom %d\nallocate_kept %d\nallocate_old %d\ngrow_old %d\nplug_in %d\n",
	       SELDOM, KEPT, OLD, OLD / 2, OPENS * CALLS);
	printf("inner_ns %llu\nouter_ns %llu\ndone\n", (unsigned long long)inner_ns,
	       (unsigned long long)outer_ns);
	fflush(stdout);
	inner_ns = outer_ns = 0;
}

static void *stay(void *until_over)
{
	do
		nap(1000000);
	while (until_over && !is_over);
	return NULL;
}

/* What making one binds is bound by the first, which ends at once. */
static void make_late(bool stays)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, stay, stays ? (void *)&is_over : NULL) == 0 && !stays)
		pthread_join(thread, NULL);
}

static void run(const char *plugin, bool has_threads)
{
	while (!is_over) {
		if (rounds_done[0] != round_asked) {
			if (is_later && rounds_done[0] == 1)
				make_late(true);
			if (!has_threads)
				memory_round();
			open_plugins(plugin);
			while (!is_done(has_threads) && !is_over)
				nap(1000000);
			allocate_old(); /* for the next round: that is not before it is asked for */
			rounds_done[0]++;
			tell();
		}
		if (has_threads)
			nap(1000000);
		work();
	}
}

int main(int argc, char **argv)
{
	void *(*const routines[])(void *) = {run_memory, run_holder, run_waiter};
	bool has_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t threads[3];

	if (argc != 3)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	allocate_old();
	is_later = strcmp(argv[1], "later") == 0;
	if (is_later)
		make_late(false);
	for (int i = 0; has_threads && i < 3; i++)
		pthread_create(&threads[i], NULL, routines[i], NULL);
	puts("ready");
	fflush(stdout);
	run(argv[2], has_threads);
	for (int i = 0; has_threads && i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
