/* SPDX-License-Identifier: MIT */
/*
 * tick.c - a library to be preloaded: it ticks as our perf clock does, with an empty handler.
 *
 * TICK_US: microseconds of CPU time between two ticks of the first thread. This costs
 * what the kernel takes for any profiler that signals wake up, so no handler can be cheaper.
 * TICK_SILENT: the kernel's timer interrupts the thread at the same rate and writes down where it is,
 * without a signal. No profiler that samples by a timer can be cheaper.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

#define RING_PAGES 8

static int open_event(long long period_ns, int is_silent)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = (unsigned long long)period_ns;
	attr.wakeup_events = !is_silent;
	attr.sample_type = is_silent ? PERF_SAMPLE_IP : 0;
	attr.disabled = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

__attribute__((constructor)) static void start(void)
{
	const char *us = getenv("TICK_US");
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
	int is_silent = getenv("TICK_SILENT") != NULL;
	int fd = us ? open_event(atoll(us) * 1000, is_silent) : -1;

	if (fd < 0)
		return;
	if (is_silent) { /* a ring that nobody reads: read-only, it is written over for ever */
		if (mmap(NULL, (1 + RING_PAGES) * 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			abort(); /* without it nothing is interrupted */
	} else {
		sigaction(SIGRTMIN, &action, NULL);
		fcntl(fd, F_SETOWN_EX, &owner);
		fcntl(fd, F_SETSIG, SIGRTMIN);
		fcntl(fd, F_SETFL, O_ASYNC);
		mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}
