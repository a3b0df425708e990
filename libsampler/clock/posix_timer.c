/* SPDX-License-Identifier: MIT */
/*
 * posix_timer.c - makes timers of the kernel by direct system calls.
 *
 * In: a clock, a time. Out: a signal.
 */
#include <signal.h>
#include <string.h>

#include "base/sys.h"
#include "clock/posix_timer.h"
#include "base/poison.h"

#define NS_PER_S UINT64_C(1000000000)

int cps_posix_timer_create(clockid_t clock, int tid, int number, uint64_t value, int *timer)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = tid ? SIGEV_THREAD_ID : SIGEV_SIGNAL;
	event.sigev_signo = number;
	event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
	event._sigev_un._tid = tid;
	return (int)CPS_SYS(timer_create, clock, &event, timer, 0);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
}

int cps_posix_timer_set(int timer, int flags, uint64_t ns, uint64_t every_ns)
{
	const struct itimerspec when = {.it_interval = timespec_of(every_ns),
					.it_value = timespec_of(ns)};

	return (int)CPS_SYS(timer_settime, timer, flags, &when, NULL);
}

uint64_t cps_posix_timer_stop(int timer)
{
	const struct itimerspec never = {{0, 0}, {0, 0}};
	struct itimerspec left = {{0, 0}, {0, 0}};

	CPS_SYS(timer_settime, timer, 0, &never, &left);
	return (uint64_t)left.it_value.tv_sec * NS_PER_S + (uint64_t)left.it_value.tv_nsec;
}

void cps_posix_timer_delete(int timer)
{
	CPS_SYS(timer_delete, timer, 0, 0, 0);
}
