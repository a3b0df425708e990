/* SPDX-License-Identifier: MIT */
/*
 * trivial.c - makes children that do nothing to speak of.
 *
 * trivial N WAY: makes N children one after the other, each of which touches a few pages and ends: by _exit; by exec, of
 * this program with no child; or by failing, an exec that fails and then _exit. One that is late fails so, too, and then
 * works for 50 ms of CPU time; one that waits sleeps for 30 ms; one that allocates gets 8 MB, which it does not touch.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char pages[40][4096];

static void touch(void)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		pages[i][0]++;
}

static void work_late(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 20;
	volatile unsigned n = 0;

	while (clock() < end)
		for (int i = 0; i < 10000; i++)
			n += (unsigned)i;
	(void)n;
}

static void allocate(void)
{
	for (int i = 0; i < 8; i++) {
		void *block = malloc(1 << 20);

		__asm__ volatile("" : "+r"(block) : : "memory");
		free(block);
	}
}

static void be_child(const char *way, char *self)
{
	char none[] = "0", *arguments[] = {self, none, NULL};

	touch();
	if (strcmp(way, "exec") == 0)
		execv(self, arguments);
	if (strcmp(way, "failing") == 0 || strcmp(way, "late") == 0)
		execv("/nonexistent", arguments);
	if (strcmp(way, "late") == 0)
		work_late();
	if (strcmp(way, "allocates") == 0)
		allocate();
	if (strcmp(way, "waits") == 0)
		nanosleep(&(struct timespec){0, 30000000}, NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	touch();
	for (int i = 0; i < n && argc > 2; i++) {
		pid_t child = fork();

		if (!child)
			be_child(argv[2], argv[0]);
		waitpid(child, NULL, 0);
	}
	return 0;
}
