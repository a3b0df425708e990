/* SPDX-License-Identifier: MIT */
/*
 * survive.c - counts its own ticks where they outlive it, and ends in every way there is.
 *
 * survive FILE THREADS ROUNDS END: each thread raises SIGPROF on ever changing paths and counts, in its own place of
 * FILE, those that have been handled: ROUNDS of them, 0 for ever. The first is handled before there are threads. Then
 * the first thread ends it all by END:
 *
 *	return, exit, _exit, quick_exit, abort, segv, kill, group (the bare system call), last (thread leaves)
 *	exec      becomes true(1)
 *	late      while the other threads go on, tries what is no program (ENOEXEC), has too long arguments (E2BIG) and does not exist, goes on,
 *	          and returns
 *	late-kill the same, and is killed
 *	late-exec the same, and becomes true(1)
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
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 63

static _Atomic uint64_t *counters; /* one each */
static uint64_t rounds;
static bool is_late;
static atomic_bool is_over;

static int tick(int thread)
{
	raise(SIGPROF);
	counters[thread]++;
	return thread + 1;
}

static int left(uint32_t path, int thread);

/* A path of its own for every number: its bits are the turns. */
static int right(uint32_t path, int thread)
{
	if (path < 2)
		return tick(thread);
	return (path & 1 ? left(path >> 1, thread) : right(path >> 1, thread)) + 1;
}

static int left(uint32_t path, int thread)
{
	if (path < 2)
		return tick(thread);
	return (path & 1 ? left(path >> 1, thread) : right(path >> 1, thread)) - 1;
}

static void *go(void *argument)
{
	int thread = (int)(intptr_t)argument;
	uint32_t x = 2463534242u + (uint32_t)thread;
	uint64_t most = thread && is_late ? 0 : rounds;

	for (uint64_t i = 0; (!most || i < most) && !is_over; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		left(x >> 8, thread);
	}
	return NULL;
}

static void fail_to_exec(void)
{
	char name[] = "none", *const none[] = {name, NULL};
	char **many = calloc(4, sizeof(*many));
	size_t n = 64u << 20;
	int wrong = 0;

	many[0] = malloc(n + 1);
	memset(many[0], 'x', n);
	many[0][n] = '\0';
	wrong |= execv("/etc/passwd", none) != -1 || (errno != ENOEXEC && errno != EACCES);
	wrong |= execl("./no-program", "none", NULL) != -1 || errno != ENOEXEC;
	wrong |= execv("/bin/true", many) != -1 || errno != E2BIG;
	wrong |= execvp("./does-not-exist", none) != -1 || errno != ENOENT;
	if (wrong)
		puts("an exec went WRONG");
	free(many[0]);
	free(many);
}

static void end(const char *how)
{
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(5);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "kill") == 0 || strcmp(how, "late-kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "group") == 0)
		syscall(SYS_exit_group, 6);
	if (strcmp(how, "last") == 0)
		pthread_exit(NULL);
	if (strcmp(how, "exec") == 0 || strcmp(how, "late-exec") == 0)
		execl("/bin/true", "true", NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1,
	    fd = argc > 4 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	pthread_t threads[THREADS_MAX + 1];

	if (fd < 0 || n < 1 || n > THREADS_MAX || ftruncate(fd, 4096))
		return 99;
	counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	rounds = strtoull(argv[3], NULL, 10);
	is_late = strncmp(argv[4], "late", 4) == 0;
	tick(0);
	for (int i = 1; i < n; i++)
		pthread_create(&threads[i], NULL, go, (void *)(intptr_t)i);
	go(NULL);
	if (is_late) {
		for (int i = 0; i < 3; i++) {
			fail_to_exec();
			left(4711, 0);
		}
		is_over = strcmp(argv[4], "late-kill") != 0;
	}
	end(argv[4]);
	for (int i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	return 2;
}
