/* SPDX-License-Identifier: MIT */
/*
 * dispatch.c - handles system calls itself (Syscall User Dispatch), as Wine and interposers do.
 *
 * dispatch [prctl|syscall|refused|range|thread] [PROGRAM ARGUMENT...]: works; asks for the dispatch, by prctl(2), by
 * syscall(2) or in a way that the kernel refuses; works with a selector that allows no system call at all; allows them
 * again, and prints "ok" or becomes PROGRAM. `range` allows those of the C library and no others, and makes some that
 * are wrapped; `thread` does so in a thread that ends. Without Syscall User Dispatch in the kernel it ends with 77.
 */
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SET_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */
#define ON	     1
#define ALLOW	     0
#define BLOCK	     1

static volatile char selector = ALLOW;

/* No system call, not even a look at the clock. */
static void work(void)
{
	volatile long sum = 0;

	for (long i = 0; i < 60000000; i++)
		sum += i;
	(void)sum;
}

/* The segment with the code of the C library. */
struct code {
	uintptr_t start, bytes;
};

static int look(struct dl_phdr_info *file, size_t bytes, void *code)
{
	(void)bytes;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &file->dlpi_phdr[i];
		struct code found = {file->dlpi_addr + h->p_vaddr, h->p_memsz};

		if (h->p_type != PT_LOAD || (uintptr_t)getppid - found.start >= found.bytes)
			continue;
		*(struct code *)code = found;
		return 1;
	}
	return 0;
}

static long ask_for_range(void)
{
	struct code code = {0, 0};

	if (!dl_iterate_phdr(look, &code))
		return -1;
	return prctl(SET_DISPATCH, ON, code.start, code.bytes, 0);
}

static void *ask_and_end(void *refused)
{
	work();
	*(long *)refused = ask_for_range();
	return refused;
}

static long ask_in_thread(void)
{
	pthread_t thread;
	long refused = -1;

	if (pthread_create(&thread, NULL, ask_and_end, &refused) == 0)
		pthread_join(thread, NULL);
	return refused;
}

static void on_alarm(int number)
{
	(void)number;
}

/* All in the C library: by number, with a limit, and ended by a signal. */
static int make_calls(void)
{
	const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	struct timespec left = {100, 0};
	stack_t before;

	signal(SIGALRM, on_alarm);
	if (syscall(SYS_poll, NULL, 0, 1) || sigaltstack(NULL, &before) || poll(NULL, 0, 1) ||
	    usleep(1000) || setitimer(ITIMER_REAL, &often, NULL))
		return 1;
	return nanosleep(&left, &left) != -1 || errno != EINTR || left.tv_sec >= 100 ||
	       setitimer(ITIMER_REAL, &never, NULL);
}

static long ask(const char *how)
{
	if (!strcmp(how, "range"))
		return ask_for_range();
	if (!strcmp(how, "thread"))
		return ask_in_thread();
	if (!strcmp(how, "syscall"))
		return syscall(SYS_prctl, SET_DISPATCH, ON, 0, 0, &selector);
	return prctl(SET_DISPATCH, strcmp(how, "refused") ? ON : 99, 0, 0, &selector);
}

int main(int n, char **arguments)
{
	const char *how = n > 1 ? arguments[1] : "prctl";

	work();
	if ((ask(how) != 0) != !strcmp(how, "refused"))
		return 77;
	if (!strcmp(how, "range") && make_calls())
		return 1;
	for (int i = 0; i < 10; i++) {
		selector = BLOCK;
		work();
		selector = ALLOW;
		usleep(1000);
	}
	if (n > 2)
		execv(arguments[2], arguments + 2);
	puts("ok");
	return 0;
}
