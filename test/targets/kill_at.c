/* SPDX-License-Identifier: MIT */
/*
 * kill_at.c - kills a program that counts, at a random instant, and says how far it came.
 *
 * kill_at FILE COUNT US SEED PROGRAM ARGUMENT...: FILE is where PROGRAM counts (survive.c). At most
 * US microseconds after its first thread has come to COUNT, SIGKILL. Prints the sum of the
 * counters.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTERS (4096 / 8)

int main(int argc, char **argv)
{
	int fd = argc > 5 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666) : -1, status;
	volatile uint64_t *counters;
	uint64_t sum = 0, least;
	pid_t pid;

	if (fd < 0 || ftruncate(fd, 4096))
		return 99;
	counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	least = strtoull(argv[2], NULL, 10);
	srandom((unsigned)atoi(argv[4]));
	pid = fork();
	if (pid == 0) {
		execvp(argv[5], argv + 5);
		_exit(98);
	}
	while (counters[0] < least && waitpid(pid, &status, WNOHANG) == 0)
		usleep(100);
	usleep((useconds_t)(random() % atoi(argv[3])));
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		return 97;
	for (int i = 0; i < COUNTERS; i++)
		sum += counters[i];
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
