/* SPDX-License-Identifier: MIT */
/*
 * sleepy.c - threads that are blocked in known places, two of them for ever.
 *
 * sleepy: prints one line for each place, "NAME LEAST ns": how long its call has waited at least, and how long the
 * place has taken; and one for each thread, "life NAME ns LEAST": how long it was there, and how long of that in the call
 * that it stays in for ever, until just before the end. All times are of the wall.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static int pipes[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static uint64_t begun_reader, begun_waiter, worker_life;
static uint64_t reads_since, waits_since; /* the clock just before the calls without an end */
static __thread uint64_t least;		  /* of the place that was last */

static uint64_t now(void)
{
	return cpu_ns(CLOCK_MONOTONIC);
}

/* A name in the recording for what is called here. */
#define PLACE(name, call)                                                                          \
	static __attribute__((noinline)) void name(void)                                           \
	{                                                                                          \
		call;                                                                              \
		__asm__ volatile("");                                                              \
	}

static void nap(long ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};

	nanosleep(&t, NULL);
}

static void read_a_byte(void)
{
	char byte;

	reads_since = now();
	if (read(pipes[0], &byte, 1) != 1)
		abort();
}

static void wait_for_nothing(void)
{
	pthread_mutex_lock(&mutex);
	waits_since = now();
	for (;;)
		pthread_cond_wait(&condition, &mutex);
}

/* On a busy machine the parent may wait for a processor before it begins to wait for the child. */
static void run_child(void)
{
	uint64_t *end =
		mmap(NULL, sizeof(*end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t begun;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		nap(250000000);
		*end = now();
		_exit(0);
	}
	begun = now();
	if (waitpid(pid, &status, 0) != pid || status != 0)
		abort();
	least = *end > begun ? *end - begun : 0;
}

static volatile sig_atomic_t n_met;
static timer_t meeting;

static void set_meeting(void)
{
	const struct itimerspec in_20_ms = {.it_value = {0, 20000000}};

	timer_settime(meeting, 0, &in_20_ms, NULL);
}

static void meet(int number)
{
	(void)number;
	n_met++;
	set_meeting();
}

/* Until the kernel's ticks have met the thread so often when a CPU timer was over. The recorder's timers, which are
 * shorter, have ticked then, too, however busy the machine is. A loop that read the clock would run between ticks
 * (burn.h). */
static void burn_until_met(int times)
{
	struct sigevent tell = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
	static volatile uint64_t sink;

	tell._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	signal(tell.sigev_signo, meet);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &tell, &meeting) != 0)
		abort();
	set_meeting();
	while (n_met < times)
		sink = burn(sink + 1, BURN_LONG / 10);
	timer_delete(meeting);
}

/* A call that nobody wraps, and work by which it is found out. */
static void sleep_unseen(void)
{
	struct timespec t = {0, 200000000};
	uint64_t begun = now();

	while (syscall(SYS_nanosleep, &t, &t) != 0)
		; /* a tick has ended it, as it may */
	least = now() - begun;
	burn_until_met(3);
}

static pthread_t worker_thread;

PLACE(in_poll, poll(NULL, 0, 300))
PLACE(in_nap, nap(200000000))
PLACE(in_short_naps, for (int i = 0; i < 500; i++) nap(300000))
PLACE(in_child, run_child())
PLACE(read_for_ever, read_a_byte())
PLACE(wait_for_ever, wait_for_nothing())
PLACE(unseen, sleep_unseen())
PLACE(in_join, pthread_join(worker_thread, NULL))

/* A place that knows better sets `least`. */
static void measure(const char *name, uint64_t expected, void (*place)(void))
{
	uint64_t begun = now();

	least = expected;
	place();
	printf("%s %llu %llu\n", name, (unsigned long long)least,
	       (unsigned long long)(now() - begun));
}

static void tell(const char *name, uint64_t begun, uint64_t since, uint64_t end)
{
	printf("%s %llu %llu\n", name, (unsigned long long)(end - begun),
	       (unsigned long long)(end - since));
}

static void *worker(void *unused)
{
	uint64_t begun = now();

	pthread_setname_np(pthread_self(), "worker");
	for (int i = 0; i < 3; i++)
		measure("in_poll", 300000000, in_poll);
	measure("in_nap", 200000000, in_nap);
	worker_life = now() - begun;
	return unused;
}

static void *reader(void *unused)
{
	begun_reader = now();
	pthread_setname_np(pthread_self(), "reader");
	read_for_ever();
	return unused;
}

static void *waiter(void *unused)
{
	begun_waiter = now();
	pthread_setname_np(pthread_self(), "waiter");
	wait_for_ever();
	return unused;
}

int main(void)
{
	uint64_t begun = now(), end;
	pthread_t thread;

	if (pipe(pipes) != 0 || pthread_create(&thread, NULL, reader, NULL) != 0 ||
	    pthread_create(&thread, NULL, waiter, NULL) != 0 ||
	    pthread_create(&worker_thread, NULL, worker, NULL) != 0)
		return 1;
	burn_for(300, BURN_LONG / 10);
	measure("unseen", 0, unseen);
	measure("in_short_naps", 150000000, in_short_naps);
	measure("in_child", 0, in_child);
	measure("in_join", 0, in_join);
	end = now();
	tell("life reader", begun_reader, reads_since, end);
	tell("life waiter", begun_waiter, waits_since, end);
	tell("life sleepy", begun, end, end);
	tell("life worker", 0, worker_life, worker_life);
	return 0;
}
