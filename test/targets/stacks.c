/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - threads whose stacks are known.
 *
 * stacks threads N    N threads read from a pipe, called by inner by middle by outer; main waits in at_end
 * stacks deep N       main is in N calls of recurs, and one more that waits
 * stacks handler      main was interrupted in interrupted_here, and the handler waits on a stack of its own
 * stacks spins        a thread spins in spins_here
 * stacks vfork        main waits for the end of a child of vfork, which no signal ends
 * stacks name TEXT    its only other thread has that name
 * stacks unanswered   the only other thread's stack has pages that nobody gives: who reads them waits for ever
 *
 * It says "ready" then, and "interrupted" for each call that ends with EINTR.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static atomic_int n_ready;
static volatile int number;

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(1);
}

/* For ever, unless a call ends that should not. */
static void wait_here(void)
{
	char byte;

	atomic_fetch_add(&n_ready, 1);
	for (;;)
		if (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			say("interrupted\n");
	number++;
}

static void inner(void)
{
	wait_here();
	number++;
}

static void middle(void)
{
	inner();
	number++;
}

static void *outer(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	middle();
	number++;
	return NULL;
}

static void *spins_here(void *unused)
{
	(void)unused;
	atomic_fetch_add(&n_ready, 1);
	for (;;)
		number++;
	return NULL;
}

static void make(size_t n, void *(*run)(void *), void *argument)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&thread, &small, run, argument) != 0)
			exit(1);
	while ((size_t)atomic_load(&n_ready) < n)
		usleep(1000);
}

static void at_end(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	say("ready\n");
	for (;;)
		if (epoll_wait(fd, &event, 1, 3600000) < 0 && errno == EINTR)
			say("interrupted\n");
	number++;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
static void recurs(long n)
{
	if (n > 0)
		recurs(n - 1);
	else
		at_end();
	number++;
}

static void on_signal(int signal)
{
	(void)signal;
	at_end();
	number++;
}

static void interrupted_here(void)
{
	static char stack[65536];
	stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	number++;
}

static void in_vfork(void)
{
	static volatile sig_atomic_t goes_on = 1;

	if (vfork() == 0) {
		say("ready\n");
		while (goes_on)
			usleep(100000);
		_exit(0);
	}
	number++;
}

#if __has_include(<linux/userfaultfd.h>)
#include <linux/userfaultfd.h>

#define PAGE 4096ul

/* So that what it calls later finds its pages there. */
static void touch(void)
{
	volatile char below[2 * PAGE];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = 1;
}

/* Pages of its stack that were never touched are from now on given by who reads from `fd`: nobody. The range begins below its
 * stack pointer, since it becomes a mapping of its own. */
static void *unanswered(void *unused)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register pages = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	char hole[4 * PAGE];

	(void)unused;
	touch();
	pages.range.start = ((unsigned long)hole & -PAGE) - PAGE;
	pages.range.len = 4 * PAGE;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &pages) != 0) {
		say("no userfaultfd\n");
		exit(0);
	}
	wait_here();
	return NULL;
}
#endif

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *what = argc > 2 ? argv[2] : "1";

	if (pipe(ends) != 0)
		return 1;
	if (strcmp(how, "threads") == 0)
		make((size_t)atol(what), outer, NULL);
	else if (strcmp(how, "name") == 0)
		make(1, outer, (void *)(unsigned long)what);
	else if (strcmp(how, "spins") == 0)
		make(1, spins_here, NULL);
	else if (strcmp(how, "deep") == 0)
		recurs(atol(what));
	else if (strcmp(how, "handler") == 0)
		interrupted_here();
	else if (strcmp(how, "vfork") == 0)
		in_vfork();
#ifdef PAGE
	else if (strcmp(how, "unanswered") == 0)
		make(1, unanswered, NULL);
#endif
	at_end();
	return 0;
}
