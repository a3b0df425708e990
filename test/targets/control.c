/* SPDX-License-Identifier: MIT */
/*
 * control.c - says what of it is to be recorded, and measures what that is.
 *
 *	control phases       switches recording by cpsample.h while three threads use CPU time, marks each switch
 *	control toggle       switches by sending itself SIGUSR2, for which it has a handler of its own
 *	control sleep MS     uses MS of CPU time, says so, and sleeps until it is killed, 1,000 s at most
 *	control late         uses CPU time in early() for a tenth of a second at once, in late() five seconds later
 *	control children MS  like sleep, in a child too; then makes another child that uses CPU time
 *	control jumps WHAT   leaves calls of the recorder by siglongjmp out of a handler, then sets marks and uses CPU
 *                           time. WHAT is mark or switch.
 *
 * What was consumed while recording was on is between the two numbers of the line "on LEAST MOST", in ns: the clock is
 * read on both sides of each switch.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"
#include "../../libsampler/cpsample.h"

static volatile uint64_t sink;
static volatile int is_over, n_ready;
static volatile sig_atomic_t is_on = 1;
static uint64_t least, most;

static uint64_t now(void)
{
	return cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* No two the same: the compiler would make one of them. */
static void while_on(void)
{
	sink = burn(sink + 1, 20000);
}

static void while_off(void)
{
	sink = burn(sink + 2, 20000);
}

static void *work(void *argument)
{
	while (!is_over)
		sink = burn(sink + 1, 20000);
	return argument;
}

static void burn_ms(void (*f)(void), uint64_t ms)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		f();
}

static void on(void)
{
	cpsample_mark("on");
	cpsample_start();
}

static void off(void)
{
	cpsample_stop();
	cpsample_mark("off");
}

static void toggle(void)
{
	raise(SIGUSR2);
}

/* The other state, and the bounds of what has been consumed in it. */
static void turn(void (*f)(void), uint64_t *before, uint64_t *after)
{
	*before = now();
	f();
	*after = now();
}

static void *begin_paused(void *argument)
{
	burn_ms(while_off, 40);
	n_ready++;
	return work(argument);
}

static void phases(void (*start)(void), void (*stop)(void))
{
	uint64_t on_before = 0, on_after = now(), off_before, off_after;
	pthread_t threads[3];
	int n = 0;

	pthread_create(&threads[n++], NULL, work, NULL);
	for (int i = 0; i < 6; i++) {
		if (is_on) {
			burn_ms(while_on, 40);
			turn(stop, &off_before, &off_after);
			least += off_before - on_after;
			most += off_after - on_before;
		}
		is_on = 1;
		if (i == 1 || i == 3)
			pthread_create(&threads[n++], NULL, begin_paused, NULL);
		burn_ms(while_off, 40);
		while (n_ready < n - 1)
			while_off();
		turn(start, &on_before, &on_after);
	}
	burn_ms(while_on, 40);
	is_over = 1;
	while (n)
		pthread_join(threads[--n], NULL);
	turn(stop, &off_before, &off_after);
	least += off_before - on_after;
	most += off_after - on_before;
	burn_ms(while_off, 30);
	printf("on %llu %llu\n", (unsigned long long)least, (unsigned long long)most);
}

static void my_handler(int number)
{
	(void)number;
	write(1, "mine\n", 5);
}

static int by_signal(void)
{
	struct sigaction mine = {.sa_handler = my_handler}, told;

	sigaction(SIGUSR2, NULL, &told);
	if (told.sa_handler != SIG_DFL || signal(SIGUSR2, SIG_IGN) != SIG_DFL)
		return 2;
	if (sigaction(SIGUSR2, &mine, &told) != 0 || told.sa_handler != SIG_IGN)
		return 3;
	if (sigaction(SIGUSR2, NULL, &told) != 0 || told.sa_handler != my_handler)
		return 4;
	is_on = 0;
	phases(toggle, toggle);
	return 0;
}

static void say_and_sleep(const char *what)
{
	puts(what);
	fflush(stdout);
	alarm(1000); /* should the test end before it kills us */
	for (;;)
		pause();
}

static void early(void)
{
	sink = burn(sink + 3, 20000);
}

static void late(void)
{
	sink = burn(sink + 4, 20000);
}

static void children(uint64_t ms)
{
	pid_t pid = fork();

	burn_ms(while_on, ms);
	if (pid == 0)
		say_and_sleep("child");
	getchar(); /* until the test has seen that both are over */
	if (fork() == 0) {
		burn_ms(while_off, 50);
		_exit(0);
	}
	wait(NULL);
	kill(pid, SIGKILL);
}

static sigjmp_buf place;
static volatile int n_jumps;

static void jump(int number)
{
	(void)number;
	n_jumps++;
	siglongjmp(place, 1);
}

static void call(const char *what)
{
	if (strcmp(what, "mark") == 0) {
		cpsample_mark("x");
	} else {
		cpsample_stop();
		cpsample_start();
	}
}

/* The signal comes at any moment of the call, most often at one near its beginning. */
static int jumps(const char *what)
{
	const struct itimerval never = {{0, 0}, {0, 0}};
	uint64_t end = cpu_ns(CLOCK_MONOTONIC) + 60000000000;

	burn_ms(while_on, 20);
	signal(SIGALRM, jump);
	for (volatile unsigned us = 1; n_jumps < 3000 && cpu_ns(CLOCK_MONOTONIC) < end;
	     us = us % 80 + 1) {
		const struct itimerval soon = {{0, 0}, {0, us}};

		if (sigsetjmp(place, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, NULL);
			for (;;)
				call(what);
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	cpsample_start();
	for (int i = 0; i < 3; i++)
		cpsample_mark("after");
	burn_ms(early, 200);
	return n_jumps < 100;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 50;

	if (strcmp(mode, "phases") == 0) {
		errno = 99;
		cpsample_mark("begin");
		phases(on, off);
		return errno != 99;
	}
	if (strcmp(mode, "toggle") == 0)
		return by_signal();
	if (strcmp(mode, "sleep") == 0) {
		burn_ms(while_on, ms);
		say_and_sleep("asleep");
	}
	if (strcmp(mode, "late") == 0) {
		uint64_t until = cpu_ns(CLOCK_MONOTONIC) + 100000000;

		while (cpu_ns(CLOCK_MONOTONIC) < until)
			early();
		sleep(5);
		burn_ms(late, 300);
	}
	if (strcmp(mode, "jumps") == 0)
		return jumps(argv[2]);
	if (strcmp(mode, "children") == 0)
		children(ms);
	return 0;
}
