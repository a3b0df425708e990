/* SPDX-License-Identifier: MIT */
/*
 * raw_wait.c - waits by system calls of its own, as runtimes without a C library do.
 *
 * raw_wait TURNS: waits without an end for a timer by epoll_pwait, poll, ppoll and pselect6, in turn, and
 * until a time by clock_nanosleep, and works for up to 0.5 ms each time. Then waits by each of them
 * for alarms. Prints how many of the first waits have failed with EINTR, how many of the last were not ended
 * by the first alarm or, since that may have come before the wait, by the second; and how many calls came
 * back before their time:
 *
 *   failed N, went on after alarms N, early N
 *
 * raw_wait TURNS limit: waits by epoll_pwait for a second at most, in turns, until the timer comes. Prints how
 * many waits have failed with EINTR:
 *
 *   failed N
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

#define WAYS	   5
#define TURN_NS	   700000
#define FOR_EVER   (-1L)
#define BURN_TURNS 2000ul

/* The number stands in the instruction before, as it does in a runtime's code for each call. */
#define RAW(number, a, b, c, d, e, f)                                                              \
	({                                                                                         \
		register long r10_ __asm__("r10") = (long)(d);                                     \
		register long r8_ __asm__("r8") = (long)(e);                                       \
		register long r9_ __asm__("r9") = (long)(f);                                       \
		long result_;                                                                      \
                                                                                                   \
		__asm__ volatile("movl %[n], %%eax\n\tsyscall"                                     \
				 : "=&a"(result_)                                                  \
				 : [n] "i"(number), "D"((long)(a)), "S"((long)(b)),                \
				   "d"((long)(c)), "r"(r10_), "r"(r8_), "r"(r9_)                   \
				 : "rcx", "r11", "memory");                                        \
		result_;                                                                           \
	})

static int timer, epoll;
static unsigned long sink, failed, missed, early;
static volatile sig_atomic_t alarms;

static long wait_in(unsigned way, const struct timespec *until)
{
	struct pollfd timers = {.fd = timer, .events = POLLIN};
	struct epoll_event event;
	fd_set in;

	FD_ZERO(&in);
	FD_SET(timer, &in);
	switch (way) {
	case 0:
		return RAW(SYS_epoll_pwait, epoll, &event, 1, FOR_EVER, 0, 8);
	case 1:
		return RAW(SYS_poll, &timers, 1, FOR_EVER, 0, 0, 0);
	case 2:
		return RAW(SYS_ppoll, &timers, 1, 0, 0, 8, 0);
	case 3:
		return RAW(SYS_pselect6, timer + 1, &in, 0, 0, 0, 0);
	default:
		return RAW(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, until, 0, 0, 0);
	}
}

static struct timespec at(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

static void set_timer(uint64_t ns)
{
	const struct itimerspec when = {.it_value = at(ns)};

	timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void work(uint64_t ns)
{
	uint64_t end = cpu_ns(CLOCK_MONOTONIC) + ns;

	while (cpu_ns(CLOCK_MONOTONIC) < end)
		sink += burn(sink + 1, BURN_TURNS);
}

static void take_turns(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++) {
		uint64_t until = cpu_ns(CLOCK_MONOTONIC) + TURN_NS;
		struct timespec until_time = at(until);
		long result;

		set_timer(until);
		work(20000 + (uint64_t)(rand() % 480000));
		result = wait_in((unsigned)(i % WAYS), &until_time);
		failed += result == -EINTR;
		early += result != -EINTR && cpu_ns(CLOCK_MONOTONIC) < until;
	}
}

static void take_limited_turns(unsigned long turns)
{
	struct epoll_event event;

	for (unsigned long i = 0; i < turns; i++) {
		set_timer(cpu_ns(CLOCK_MONOTONIC) + TURN_NS);
		work(20000 + (uint64_t)(rand() % 480000));
		failed += RAW(SYS_epoll_pwait, epoll, &event, 1, 1000, 0, 8) == -EINTR;
	}
}

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static void wait_for_alarms(void)
{
	const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
	uint64_t far = cpu_ns(CLOCK_MONOTONIC) + UINT64_C(20000000000);
	struct timespec far_time = at(far);

	signal(SIGALRM, on_alarm);
	set_timer(far);
	for (unsigned i = 0; i < 40 * WAYS; i++) {
		setitimer(ITIMER_REAL, &often, NULL);
		work(2000000);
		alarms = 0;
		missed += wait_in(i % WAYS, &far_time) != -EINTR || alarms > 2;
		setitimer(ITIMER_REAL, &never, NULL);
	}
}

int main(int argc, char **argv)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (argc < 2)
		return 2;
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
	if (argc > 2) {
		take_limited_turns(strtoul(argv[1], NULL, 10));
		printf("failed %lu\n", failed);
		return sink == 42;
	}
	take_turns(strtoul(argv[1], NULL, 10));
	wait_for_alarms();
	printf("failed %lu, went on after alarms %lu, early %lu\n", failed, missed, early);
	return sink == 42;
}
