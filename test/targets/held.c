/* SPDX-License-Identifier: MIT */
/*
 * held.c - makes calls that cannot be gone on with, so that no sample may come into them.
 *
 *	held work         of 100 calls that wait, each after some work, prints how many have failed
 *	held exec         a handler that comes into such a call becomes a program that prints which signals are blocked
 *	held fork|spawn   it makes one, by fork(2) or posix_spawn(3)
 *	held cancel       a thread that can be cancelled at any time is cancelled in such a call
 *	held linger       closes sockets that linger for a second because nobody reads, and prints how many have not
 *
 * The calls are fallocate64, whose part a library plays (held.sh): what it does depends on the bytes that it is asked for.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

enum { WAITS = 1, RAISES = 2, NEVER_ENDS = 3 };

extern char **environ;

static char grep[] = "grep", what[] = "SigBlk", status[] = "/proc/self/status";
static char *const shows_mask[] = {grep, what, status, NULL};
static const char *mode;
static sem_t ready;
static volatile uint64_t sink;

static int works(void)
{
	int failed = 0;

	for (int i = 0; i < 100; i++) {
		sink = burn(sink + 1, 4000000);
		failed += fallocate64(0, 0, 0, WAITS) != 0;
	}
	return printf("%d failed\n", failed) < 0;
}

/* ---- other programs -------------------------------------------------------------------------- */

static void handler(int number)
{
	pid_t pid = 0;

	(void)number;
	if (strcmp(mode, "spawn") == 0)
		posix_spawnp(&pid, *shows_mask, NULL, NULL, shows_mask, environ);
	else if (strcmp(mode, "fork") == 0)
		pid = fork();
	if (pid == 0)
		execvp(*shows_mask, shows_mask);
	waitpid(pid, NULL, 0);
}

static int executes(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};

	unsetenv("LD_PRELOAD"); /* the recorder would unblock its signal */
	sigaction(SIGALRM, &action, NULL);
	return fallocate64(0, 0, 0, RAISES);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static void *sleeper(void *unused)
{
	int before;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	sem_post(&ready);
	fallocate64(0, 0, 0, NEVER_ENDS);
	return unused;
}

static int cancels(void)
{
	pthread_t t;
	void *result;

	sem_init(&ready, 0, 0);
	pthread_create(&t, NULL, sleeper, NULL);
	sem_wait(&ready);
	usleep(50000); /* it has probably begun */
	pthread_cancel(t);
	pthread_join(t, &result);
	return puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled") < 0;
}

/* ---- sockets --------------------------------------------------------------------------------- */

enum { SOCKETS = 3 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A connected socket with more to send than the other end, which nobody reads, has room for */
static int full_socket(int listener, int *other)
{
	static const char bytes[1 << 16];
	const struct linger linger = {1, 1};
	struct sockaddr_in address;
	socklen_t n = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	getsockname(listener, (struct sockaddr *)&address, &n);
	if (connect(fd, (struct sockaddr *)&address, n) != 0)
		return -1;
	*other = accept(listener, NULL, NULL);
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return fd;
}

static int close_by(int i, int fd, int unused)
{
	switch (i) {
	case 0:
		return close(fd);
	case 1:
		return dup2(unused, fd) < 0;
	default:
		return dup3(unused, fd, O_CLOEXEC) < 0;
	}
}

static int lingers(void)
{
	static const char *const names[SOCKETS] = {"close", "dup2", "dup3"};
	struct sockaddr_in address = {.sin_family = AF_INET};
	int listener = socket(AF_INET, SOCK_STREAM, 0), unused = open("/dev/null", O_RDONLY);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 9))
		return 1;
	for (int i = 0; i < SOCKETS; i++) {
		int other, fd = full_socket(listener, &other), failed;
		uint64_t begin;

		sink = burn(sink + 1, 12000000);
		begin = now_ns();
		failed = close_by(i, fd, unused);
		printf("%s: %d, %s\n", names[i], failed,
		       now_ns() - begin < 900000000 ? "early" : "in time");
		close(other);
	}
	return 0;
}

int main(int n, char **arguments)
{
	mode = n > 1 ? arguments[1] : "";
	if (strcmp(mode, "work") == 0)
		return works();
	if (strcmp(mode, "cancel") == 0)
		return cancels();
	if (strcmp(mode, "linger") == 0)
		return lingers();
	return executes();
}
