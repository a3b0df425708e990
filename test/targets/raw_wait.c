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
 *
 * raw_wait TURNS told: waits for TURN_NS by calls that tell how much of that is left, of all kinds in turn.
 * raw_wait TURNS by-number: the same by syscall(2), and by calls that do not tell. Both print how many waits have failed,
 * and how many came back before their time:
 *
 *   failed N, early N
 *
 * raw_wait TURNS transfers: reads /dev/urandom, writes to it and copies a file, in turn. Prints how many calls have
 * transferred less than they were asked for:
 *
 *   short N
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
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

/* A system call by this code, which takes the number from an operand of that kind. */
#define RAW_BY(code, kind, number, a, b, c, d, e, f)                                               \
	({                                                                                         \
		register long r10_ __asm__("r10") = (long)(d);                                     \
		register long r8_ __asm__("r8") = (long)(e);                                       \
		register long r9_ __asm__("r9") = (long)(f);                                       \
		long result_;                                                                      \
                                                                                                   \
		__asm__ volatile(code "syscall"                                                    \
				 : "=&a"(result_)                                                  \
				 : [n] kind(number), "D"((long)(a)), "S"((long)(b)),               \
				   "d"((long)(c)), "r"(r10_), "r"(r8_), "r"(r9_)                   \
				 : "rcx", "r11", "memory");                                        \
		result_;                                                                           \
	})

/* The number stands in the instruction before, as it does in a runtime's code for each call. */
#define RAW(number, ...) RAW_BY("movl %[n], %%eax\n\t", "i", number, __VA_ARGS__)

/* The number is in a register, as where a program has one function for all calls. */
#define RAW_OF(number, ...)                                                                        \
	RAW_BY("mov %[n], %%rax\n\tmov %%r12, %%r12\n\t", "b", (long)(number), __VA_ARGS__)

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

/* ---- waits that tell how much of their time is left --------------------------------------------- */

static long wait_told(unsigned way)
{
	struct timespec t = at(TURN_NS);
	struct timeval us = {0, TURN_NS / 1000};

	switch (way) {
	case 0:
		return RAW(SYS_ppoll, NULL, 0, &t, 0, 8, 0);
	case 1:
		return RAW(SYS_select, 0, 0, 0, 0, &us, 0);
	case 2:
		return RAW_OF(SYS_pselect6, 0, 0, 0, 0, &t, 0);
	case 3:
		return RAW(SYS_nanosleep, &t, &t, 0, 0, 0, 0);
	default:
		return RAW_OF(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, &t, 0, 0);
	}
}

static long by_number(long result)
{
	return result < 0 ? -errno : result;
}

static long wait_by_number(unsigned way)
{
	static unsigned futex;
	struct timespec t = at(TURN_NS);
	struct timeval us = {0, TURN_NS / 1000};
	struct epoll_event event;
	sigset_t set;

	sigemptyset(&set);
	switch (way) {
	case 0:
		return by_number(syscall(SYS_ppoll, NULL, 0, &t, NULL, 8));
	case 1:
		return by_number(syscall(SYS_select, 0, NULL, NULL, NULL, &us));
	case 2:
		return by_number(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &t, NULL));
	case 3:
		return by_number(syscall(SYS_nanosleep, &t, NULL));
	case 4:
		return by_number(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL));
	case 5:
		return by_number(syscall(SYS_poll, NULL, 0, 1));
	case 6:
		return by_number(syscall(SYS_epoll_wait, epoll, &event, 1, 1));
	case 7:
		return by_number(syscall(SYS_rt_sigtimedwait, &set, NULL, &t, 8));
	default:
		return by_number(syscall(SYS_futex, &futex, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0));
	}
}

/* The kernel counts milliseconds of poll and epoll_wait more exactly than this. */
static void take_told_turns(unsigned long turns, long (*wait_for)(unsigned), unsigned ways)
{
	for (unsigned long i = 0; i < turns; i++) {
		uint64_t begin;
		long result;

		work(20000 + (uint64_t)(rand() % 480000));
		begin = cpu_ns(CLOCK_MONOTONIC);
		result = wait_for((unsigned)(i % ways));
		failed += result == -EINTR;
		early += result != -EINTR && cpu_ns(CLOCK_MONOTONIC) < begin + TURN_NS;
	}
}

/* ---- transfers --------------------------------------------------------------------------------- */

#define MANY ((size_t)4 << 20)

static unsigned long transfer(unsigned long turns)
{
	int device = open("/dev/urandom", O_RDWR), file = memfd_create("raw_wait", 0),
	    copy = memfd_create("copy", 0);
	char *bytes = calloc(1, MANY);
	unsigned long less = 0;
	long result, place;

	if (device < 0 || !bytes || write(file, bytes, MANY) != MANY)
		exit(1);
	for (unsigned long i = 0; i < turns; i++) {
		place = 0;
		lseek(copy, 0, SEEK_SET);
		if (i % 3 == 0)
			result = RAW(SYS_read, device, bytes, MANY, 0, 0, 0);
		else if (i % 3 == 1)
			result = RAW_OF(SYS_write, device, bytes, MANY, 0, 0, 0);
		else
			result = RAW(SYS_sendfile, copy, file, &place, MANY, 0, 0);
		less += result != (long)MANY;
	}
	return less;
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
	if (argc > 2 && strcmp(argv[2], "transfers") == 0) {
		printf("short %lu\n", transfer(strtoul(argv[1], NULL, 10)));
		return 0;
	}
	if (argc > 2 && strcmp(argv[2], "limit") != 0) {
		bool is_told = strcmp(argv[2], "told") == 0;

		take_told_turns(strtoul(argv[1], NULL, 10), is_told ? wait_told : wait_by_number,
				is_told ? 5 : 9);
		printf("failed %lu, early %lu\n", failed, early);
		return sink == 42;
	}
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
