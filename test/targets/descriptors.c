/* SPDX-License-Identifier: MIT */
/*
 * descriptors.c - programs to which files and rights mean something.
 *
 * Each counts in the file `counters` how many SIGPROF of its own have been handled.
 *
 *	descriptors close    closes all from 3 up, again and again, and writes files of its own, whose numbers it prints
 *	descriptors none     has none left for a while
 *	descriptors daemon   two forks, a session, all closed, in /
 *	descriptors chroot   in a root directory of its own
 *	descriptors nobody   without the right to write to where it is recorded
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20000

static uint64_t *counter;

static int deep(uint32_t path)
{
	if (path < 2) {
		raise(SIGPROF);
		++*counter;
		return 1;
	}
	return deep(path >> 1) + (path & 1 ? deep(path >> 2 & 1) : 0);
}

static void work(unsigned rounds)
{
	for (uint32_t i = 0; i < rounds; i++)
		deep(i * 2654435761u >> 16);
}

static void count_in(uint64_t *page)
{
	counter = page;
	work(1);
}

static int write_one(int i, int *number)
{
	char name[32], text[64];
	int n = snprintf(text, sizeof(text), "file %d is only mine\n", i), fd;

	snprintf(name, sizeof(name), "mine.%d", i);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	*number = fd;
	work(ROUNDS / 50);
	return fd < 0 || write(fd, text, (size_t)n) != n;
}

static int close_all(void)
{
	int wrong = 0, number;

	for (int i = 0; i < 50; i++) {
		closefrom(3);
		wrong |= write_one(i, &number);
		printf("%d ", number);
		number = open("/dev/null", O_RDONLY);
		printf("%d\n", number);
		work(10);
	}
	return wrong;
}

static int use_up(void)
{
	int last = -1, fd;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		last = fd;
	work(ROUNDS);
	closefrom(3);
	work(ROUNDS);
	printf("%d\n", last);
	return 0;
}

static int become_daemon(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, &status, 0);
		while (access("done", F_OK))
			usleep(1000);
		return status != 0;
	}
	setsid();
	pid = fork();
	if (pid)
		_exit(0);
	int here = open(".", O_RDONLY | O_DIRECTORY);
	dup2(here, 700);
	if (chdir("/"))
		_exit(1);
	closefrom(701);
	for (int fd = 0; fd < 700; fd++)
		close(fd);
	counter++;
	work(ROUNDS);
	if (openat(700, "done.data", O_WRONLY | O_CREAT, 0666) != 0 || write(0, "done\n", 5) != 5)
		_exit(1);
	renameat(700, "done.data", 700, "done");
	return 0;
}

static int change_root(void)
{
	int wrong;

	mkdir("root", 0755);
	wrong = chroot("root") || chdir("/");
	work(ROUNDS);
	return wrong;
}

static int become_nobody(void)
{
	int wrong = setgid(65534) || setuid(65534);

	work(ROUNDS);
	return wrong || access("counters", W_OK) == 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int fd = open("counters", O_RDWR | O_CREAT | O_TRUNC, 0644), wrong = 1;

	if (ftruncate(fd, 4096))
		return 99;
	count_in(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	close(fd);
	if (strcmp(mode, "close") == 0)
		wrong = close_all();
	else if (strcmp(mode, "none") == 0)
		wrong = use_up();
	else if (strcmp(mode, "daemon") == 0)
		wrong = become_daemon();
	else if (strcmp(mode, "chroot") == 0)
		wrong = change_root();
	else if (strcmp(mode, "nobody") == 0)
		wrong = become_nobody();
	printf("%s: %s\n", mode, wrong ? "WRONG" : "as expected");
	return wrong;
}
