/* SPDX-License-Identifier: MIT */
/*
 * masked.c - waits in calls that change the mask of signals meanwhile, with signals that are about to
 * come. Prints what is not as it should be. The signals of faults are among them: the recorder's
 * handler does not block these.
 *
 *	masked       each call is ended by each of the signals, and by no other
 *	masked spin  makes calls that do not wait, for so long that ticks meet them
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "burn.h"

enum { CALLS = 5 };

static const char *const names[CALLS] = {"sigsuspend", "ppoll", "pselect", "epoll_pwait",
					 "epoll_pwait2"};
static volatile sig_atomic_t caught[65];
static int epoll;

static void handler(int number)
{
	caught[number]++;
}

static int call(int i, const sigset_t *mask, const struct timespec *timeout)
{
	struct epoll_event event;

	switch (i) {
	case 0:
		return sigsuspend(mask);
	case 1:
		return ppoll(NULL, 0, timeout, mask);
	case 2:
		return pselect(0, NULL, NULL, NULL, timeout, mask);
	case 3:
		return epoll_pwait(epoll, &event, 1, timeout ? 0 : -1, mask);
	default:
		return epoll_pwait2(epoll, &event, 1, timeout, mask);
	}
}

static int is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

/* Signal `number` is pending, and let through by the mask of the call alone. Signal `other` is
 * pending and blocked everywhere. */
static void check(int i, const sigset_t *around, int number, int other)
{
	sigset_t within = *around, after;
	int result, error;

	memset((void *)caught, 0, sizeof(caught));
	sigdelset(&within, number);
	sigprocmask(SIG_SETMASK, around, NULL);
	raise(number);
	if (other)
		raise(other);
	alarm(5);
	errno = 0;
	result = call(i, &within, NULL);
	error = errno;
	alarm(0);
	sigprocmask(SIG_BLOCK, NULL, &after);
	if (result != -1 || (error != EINTR && error != ENOSYS) ||
	    (error == EINTR && caught[number] != 1))
		printf("%s, signal %d: result %d, %s, caught %d\n", names[i], number, result,
		       strerror(error), (int)caught[number]);
	if (memcmp(&after, around, sizeof(uint64_t)) != 0)
		printf("%s, signal %d: the mask is another one\n", names[i], number);
	if (other && (caught[other] || !is_pending(other)))
		printf("%s, signal %d: signal %d came, too\n", names[i], number, other);
	sigemptyset(&within);
	sigprocmask(SIG_SETMASK, &within, NULL);
}

/* The call fails only if a signal of the program's ends it, and none comes. */
static void spin(int i, const sigset_t *around, const sigset_t *within)
{
	const struct timespec none = {0, 0};
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 60000000;
	int failed = 0;

	sigprocmask(SIG_SETMASK, around, NULL);
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int k = 0; k < 100; k++)
			failed += call(i, within, &none) < 0 && errno != ENOSYS;
	if (failed)
		printf("%s: %d calls failed\n", names[i], failed);
}

int main(int argc, char **argv)
{
	static const int faults[] = {SIGTRAP, SIGFPE, SIGILL, SIGBUS, SIGSEGV, SIGUSR1};
	sigset_t empty, full, faults_only;

	epoll = epoll_create1(0);
	sigemptyset(&empty);
	sigfillset(&full);
	sigdelset(&full, SIGKILL); /* the kernel never blocks these */
	sigdelset(&full, SIGSTOP);
	sigemptyset(&faults_only);
	for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
		signal(faults[k], handler);
		sigaddset(&faults_only, faults[k]);
	}
	if (argc > 1 && strcmp(argv[1], "spin") == 0) {
		for (int i = 1; i < CALLS; i++) {
			spin(i, &empty, &empty);
			spin(i, &full, &full);
			spin(i, &empty, &full);
			spin(i, &full, &empty);
		}
		return 0;
	}
	for (int i = 0; i < CALLS; i++)
		for (size_t k = 0; k < sizeof(faults) / sizeof(faults[0]); k++) {
			check(i, &faults_only, faults[k], 0);
			check(i, &full, faults[k], 0);
			check(i, &full, faults[k], faults[k] == SIGUSR1 ? SIGFPE : SIGUSR1);
		}
	return 0;
}
