/* SPDX-License-Identifier: MIT */
/*
 * waits.c - waits in every way that the kernel does not take up again after a signal's handler.
 *
 * waits quiet|hail|ticks ends|interrupts|restarts|nested|returns|cancels [ROUNDS]
 * waits quiet|hail|ticks drains
 *
 * hail        a process sends SIGPROF to the thread that waits, every 300 us
 * ticks       these are as those of the timer that the recorder has made for the thread; 77: the kernel does not
 *             tell of timers
 * ends        each call comes to its end: its time is over, and what it waits for happens
 * interrupts  each call is interrupted by a handler of SIGUSR1, ROUNDS times
 * restarts    the same, of a handler with SA_RESTART
 * nested      the same, of a handler that sleeps
 * returns     the same, of a handler that blocks all signals; a SIGPROF, which it sends itself instead of
 *             the process, comes when it returns, and others come before
 * cancels     a thread that waits is cancelled, ROUNDS times
 *
 * drains      a terminal to which nothing was written is drained for a second of CPU time, and is sent breaks
 *
 * Prints a line for each call with its results, each of them once, and "errno N" when it has
 * changed in a call that did not fail. "short" is one that has ended before its time. Never prints
 * numbers that depend on how fast the machine is; those, the signals that had to be sent again, go
 * to standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "wait_calls.h"

enum { LIMIT_MS = 30, HAIL_NS = 300000, JIFFY_NS = 10000000 };

static atomic_int *hailed; /* the thread; shared with the process that sends */
static unsigned resent;
static bool is_hailed, is_met_at_return;
static const struct wait_call *current;
static unsigned rounds = 100;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The number of the signals of the thread's timer, and the value that they bring. False: it has none. */
static bool find_timer(pid_t target, int tid, int *number, siginfo_t *info)
{
	char name[64], line[128];
	unsigned long value = 0;
	bool is_found = false;
	int of, last = 0;
	FILE *list;

	snprintf(name, sizeof(name), "/proc/%d/timers", target);
	list = fopen(name, "r");
	while (list && !is_found && fgets(line, sizeof(line), list)) {
		sscanf(line, "signal: %d/%lx", &last, &value);
		is_found = sscanf(line, "notify: signal/tid.%d", &of) == 1 && of == tid;
	}
	if (list)
		fclose(list);
	memset(info, 0, sizeof(*info));
	info->si_signo = *number = last;
	info->si_code = SI_TIMER;
	info->si_value.sival_ptr = (void *)value;
	return is_found;
}

/* A signal as it comes from that timer. Those of a negative si_code may be sent by anybody. */
static void send_tick(pid_t target, int tid)
{
	static int known, number;
	static siginfo_t info;

	if (known != tid && find_timer(target, tid, &number, &info))
		known = tid;
	if (known == tid)
		syscall(SYS_rt_tgsigqueueinfo, target, tid, number, &info);
}

static pid_t hail(bool is_tick)
{
	pid_t target = getpid(), pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int tid = atomic_load(hailed);

		if (tid && is_tick)
			send_tick(target, tid);
		else if (tid)
			syscall(SYS_tgkill, target, tid, SIGPROF);
		nap(HAIL_NS);
	}
}

static void on_usr1(int number)
{
	(void)number;
}

static void on_usr1_sleep(int number)
{
	(void)number;
	usleep(1000);
}

static void on_usr1_hail(int number)
{
	(void)number;
	if (is_hailed)
		raise(SIGPROF);
}

/* ---- the thread that waits
 * ------------------------------------------------------------------------ */

static long wait_once(void)
{
	uint64_t begin = now_ns();
	long result;

	errno = UNTOUCHED;
	atomic_fetch_add(&entered, 1);
	result = current->call();
	if (result >= 0 && errno != UNTOUCHED && !current->sets_errno)
		printf(" errno %d", errno);
	/* The kernel counts some of the times in jiffies, the first of which has begun. */
	if (wait_limit > 0 && now_ns() - begin + JIFFY_NS < (uint64_t)wait_limit * 1000000)
		printf(" short");
	atomic_fetch_add(&done, 1);
	return result;
}

static void tell(long result)
{
	if (result < 0)
		printf(" %s", strerrorname_np((int)-result));
	else
		printf(" %ld", result);
}

static void *waiter(void *times)
{
	long result = 0, last = 0;

	atomic_store(hailed, (int)syscall(SYS_gettid));
	for (unsigned i = 0; i < *(unsigned *)times; i++) {
		result = wait_once();
		if (i == 0 || result != last)
			tell(result);
		last = result;
	}
	atomic_store(hailed, 0);
	return NULL;
}

static pthread_t begin_waiter(unsigned *times)
{
	pthread_t thread;

	atomic_store(&entered, 0);
	atomic_store(&done, 0);
	if (pthread_create(&thread, NULL, waiter, times))
		abort();
	return thread;
}

static void until_entered(unsigned n)
{
	while (atomic_load(&entered) < n)
		nap(50000);
}

/* ---- what happens to it
 * --------------------------------------------------------------------------- */

static void ends_by_time(void)
{
	unsigned once = 1;

	wait_limit = LIMIT_MS;
	pthread_join(begin_waiter(&once), NULL);
}

static void ends_by_event(void)
{
	unsigned once = 1;
	pthread_t thread;

	wait_limit = -1;
	thread = begin_waiter(&once);
	until_entered(1);
	nap(LIMIT_MS * 1000000);
	do {
		current->complete(thread);
		for (unsigned i = 0; i < 200 && !atomic_load(&done); i++)
			nap(100000);
	} while (current->repeats && !atomic_load(&done));
	pthread_join(thread, NULL);
}

static void ends(void)
{
	if (current->has_limit)
		ends_by_time();
	if (current->complete)
		ends_by_event();
}

/* Signals of the recorder's alone end nothing, whatever has ended the call before. */
static void hail_before(pthread_t thread, unsigned round)
{
	for (int i = 0; i < 3; i++) {
		if (is_hailed)
			pthread_kill(thread, SIGPROF);
		nap(100000);
	}
	if (atomic_load(&done) >= round)
		printf(" early");
}

/* A signal that comes before the call has begun interrupts nothing, without the recorder, too:
 * it is sent again. */
static void interrupted(void)
{
	pthread_t thread;

	if (current->is_restarted)
		return;
	wait_limit = -1;
	thread = begin_waiter(&rounds);
	for (unsigned i = 1; i <= rounds; i++) {
		until_entered(i);
		nap(300000);
		if (is_met_at_return)
			hail_before(thread, i);
		pthread_kill(thread, SIGUSR1);
		for (unsigned k = 1; atomic_load(&done) < i; k++) {
			nap(100000);
			if (k % 500 == 0) {
				resent++;
				pthread_kill(thread, SIGUSR1);
			}
		}
	}
	pthread_join(thread, NULL);
}

static void cancelled(void)
{
	unsigned once = 1;
	void *result;

	if (current->is_no_cancellation_point)
		return;
	wait_limit = -1;
	for (unsigned i = 0; i < rounds; i++) {
		pthread_t thread = begin_waiter(&once);

		until_entered(1);
		nap(i % 8 * 200000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		atomic_store(hailed, 0);
		if (result != PTHREAD_CANCELED)
			printf(" not cancelled");
	}
	printf(" cancelled");
}

static int sends_break(int terminal)
{
	return tcsendbreak(terminal, 0);
}

static int sends_long_break(int terminal)
{
	return tcsendbreak(terminal, 300);
}

static void drains_by(const char *name, int (*call)(int), int terminal)
{
	int failed = 0;

	atomic_store(hailed, gettid());
	for (uint64_t from = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	     cpu_ns(CLOCK_THREAD_CPUTIME_ID) - from < 1000000000;)
		for (int i = 0; i < 100; i++)
			failed += call(terminal) != 0;
	atomic_store(hailed, 0);
	printf("%s: %d failed\n", name, failed);
}

static void drains(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
	    (terminal = open(ptsname(master), O_RDWR | O_NOCTTY)) < 0)
		exit(1);
	drains_by("tcdrain", tcdrain, terminal);
	drains_by("tcsendbreak", sends_break, terminal);
	drains_by("tcsendbreak, longer", sends_long_break, terminal);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	struct sigaction action = {.sa_handler = on_usr1};
	void (*act)(void) = NULL;
	pid_t sender = 0;
	siginfo_t info;
	bool is_tick;
	int number;

	if (strcmp(what, "ends") == 0)
		act = ends;
	else if (strcmp(what, "interrupts") == 0 || strcmp(what, "restarts") == 0 ||
		 strcmp(what, "nested") == 0 || strcmp(what, "returns") == 0)
		act = interrupted;
	else if (strcmp(what, "cancels") == 0)
		act = cancelled;
	else if (strcmp(what, "drains") == 0)
		act = drains;
	if (!act)
		return 2;
	if (argc > 3)
		rounds = (unsigned)strtoul(argv[3], NULL, 10);
	hailed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hailed == MAP_FAILED || !waits_prepare())
		return 1;
	if (strcmp(what, "restarts") == 0 || strcmp(what, "nested") == 0)
		action.sa_flags = SA_RESTART;
	if (strcmp(what, "nested") == 0)
		action.sa_handler = on_usr1_sleep;
	is_met_at_return = strcmp(what, "returns") == 0;
	if (is_met_at_return) {
		action.sa_handler = on_usr1_hail;
		sigfillset(&action.sa_mask);
	}
	sigaction(SIGUSR1, &action, NULL);
	is_tick = strcmp(argv[1], "ticks") == 0;
	is_hailed = is_tick || strcmp(argv[1], "hail") == 0;
	if (is_tick && (is_met_at_return || !find_timer(getpid(), getpid(), &number, &info)))
		return 77;
	if (is_hailed && !is_met_at_return)
		sender = hail(is_tick);
	for (current = wait_calls; act != drains && current->name; current++) {
		printf("%s:", current->name);
		act();
		printf("\n");
		fflush(stdout);
		if (resent)
			fprintf(stderr, "%s: %u sent again\n", current->name, resent);
		resent = 0;
	}
	if (act == drains)
		act();
	if (sender > 0) {
		kill(sender, SIGKILL);
		waitpid(sender, NULL, 0);
	}
	waits_end();
	return 0;
}
