/* SPDX-License-Identifier: MIT */
/*
 * faults.c - faults on known pages in two functions, and says what getrusage has counted.
 *
 * In: how many pages `often` and `rarely` touch in a round, the rounds, and a mode. Out: a line with the
 * pages that each has touched and the faults that getrusage has counted since main began.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"
#include "../../libsampler/cpsample.h"

#define PAGE 4096u

static unsigned long n_often, n_rarely, rounds;
static int disk = -1; /* a file that pages are mapped from */

static volatile char *map(unsigned long pages)
{
	void *p;

	if (disk >= 0)
		posix_fadvise(disk, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | (disk < 0 ? MAP_ANONYMOUS : 0), disk, 0);
	if (p == MAP_FAILED)
		exit(3);
	madvise(p, pages * PAGE, disk < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM);
	return p;
}

static void fill_disk(void)
{
	static const char page[PAGE];

	disk = open("pages", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (unsigned long i = 0; i < n_often + n_rarely; i++)
		if (write(disk, page, PAGE) != PAGE)
			exit(3);
	fsync(disk);
}

static __attribute__((noinline)) void touch(volatile char *p, unsigned long pages)
{
	for (unsigned long i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noinline)) void often(volatile char *p)
{
	touch(p, n_often);
	__asm__ volatile("");
}

static __attribute__((noinline)) void rarely(volatile char *p)
{
	touch(p, n_rarely);
	__asm__ volatile("");
}

/* The kernel writes to pages that are not there yet. */
static __attribute__((noinline)) void in_the_kernel(volatile char *p, unsigned long pages)
{
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, (char *)(uintptr_t)p, pages * PAGE) != (ssize_t)(pages * PAGE))
		exit(3);
	close(fd);
}

static void *work(void *unused)
{
	(void)unused;
	for (unsigned long i = 0; i < rounds; i++) {
		volatile char *p = map(n_often + n_rarely);

		often(p);
		rarely(p + n_often * PAGE);
		munmap((void *)(uintptr_t)p, (n_often + n_rarely) * PAGE);
	}
	return NULL;
}

static unsigned long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (unsigned long)(usage.ru_minflt + usage.ru_majflt);
}

static void in_threads(int n)
{
	pthread_t threads[16];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void forking(void)
{
	work(NULL);
	if (fork() == 0) {
		work(NULL);
		exit(0);
	}
	wait(NULL);
}

static void executing(char **argv)
{
	argv[4] = NULL;
	work(NULL);
	execv(argv[0], argv);
	exit(3);
}

/* Returns how often `work` was done. */
static unsigned long run(const char *mode, char **argv)
{
	if (strcmp(mode, "threads") == 0) {
		in_threads(4);
		return 4;
	}
	if (strcmp(mode, "fork") == 0) {
		forking();
	} else if (strcmp(mode, "exec") == 0) {
		executing(argv);
	} else if (strcmp(mode, "kernel") == 0) {
		in_the_kernel(map(n_often * rounds), n_often * rounds);
		work(NULL);
	} else if (strcmp(mode, "burn") == 0) {
		work(NULL);
		burn_for(300, BURN_LONG);
		work(NULL);
		return 2;
	} else if (strcmp(mode, "pause") == 0) {
		work(NULL);
		cpsample_stop();
		work(NULL);
		cpsample_start();
		work(NULL);
		return 2;
	} else {
		if (strcmp(mode, "disk") == 0)
			fill_disk();
		work(NULL);
	}
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long before = faults(), times;

	if (argc < 4)
		return 2;
	n_often = strtoul(argv[1], NULL, 10);
	n_rarely = strtoul(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	times = rounds * run(argc > 4 ? argv[4] : "", argv);
	printf("often %lu\nrarely %lu\ngetrusage %lu\n", times * n_often, times * n_rarely,
	       faults() - before);
	return 0;
}
