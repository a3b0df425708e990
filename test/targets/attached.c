/* SPDX-License-Identifier: MIT */
/*
 * attached.c - a program that runs until SIGTERM, to be attached to.
 *
 * In: a mode. Out: on standard output "ready"; at the end what went wrong, which is nothing without the recorder.
 *
 * threads        some that work, one that allocates, one that waits, and new ones all the time
 * block HOW      a call that blocks for 50 ms, again and again
 * storm          a signal every 300 us, and floating point numbers that have to stay the same
 * alloc [N]      N threads that hardly leave the allocator
 * vfork          its first thread waits in vfork until SIGUSR1 comes; then it says "returned"
 * ends HOW       waits for SIGUSR1, and ends in that way
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool is_over;
static atomic_ulong interrupted, made, wrong;
static volatile unsigned long sink;

static void on_end(int number)
{
	(void)number;
	is_over = true;
}

static void on_signal(int number)
{
	(void)number;
	sink++;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigaction(number, &action, NULL);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* ---- threads ---- */

static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i * i;
}

static void deep(int d)
{
	if (d)
		deep(d - 1);
	else
		leaf(20000);
	sink++;
}

static void *work(void *unused)
{
	(void)unused;
	while (!is_over) {
		for (int i = 0; i < 20; i++)
			deep(20);
		usleep(1000);
	}
	return NULL;
}

static void *allocate(void *unused)
{
	void *blocks[100];

	(void)unused;
	while (!is_over) {
		for (size_t i = 0; i < 100; i++)
			blocks[i] = malloc(100 + i * 50);
		for (size_t i = 0; i < 100; i++)
			free(blocks[i]);
		usleep(200);
	}
	return NULL;
}

static void *await(void *unused)
{
	int fd = epoll_create1(0);
	struct epoll_event event;

	(void)unused;
	while (!is_over)
		if (epoll_wait(fd, &event, 1, 20) < 0 && errno == EINTR && !is_over)
			interrupted++;
	return NULL;
}

static void *brief(void *unused)
{
	(void)unused;
	deep(3);
	return NULL;
}

static void run_threads(void)
{
	void *(*const routines[])(void *) = {work, work, allocate, await, await};
	pthread_t threads[5], one;

	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, routines[i], NULL);
	ready();
	while (!is_over) {
		if (pthread_create(&one, NULL, brief, NULL) == 0 && pthread_join(one, NULL) == 0)
			made++;
		usleep(5000);
	}
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
}

/* ---- block ---- */

#define MS 50

static int block(const char *how, int epoll, int sock)
{
	struct timespec t = {0, MS * 1000000}, until;
	struct timeval v = {0, MS * 1000};
	struct epoll_event event;
	static sem_t semaphore;
	char byte;

	if (strcmp(how, "epoll_wait") == 0)
		return epoll_wait(epoll, &event, 1, MS);
	if (strcmp(how, "poll") == 0)
		return poll(NULL, 0, MS);
	if (strcmp(how, "select") == 0)
		return select(0, NULL, NULL, NULL, &v);
	if (strcmp(how, "nanosleep") == 0)
		return nanosleep(&t, NULL);
	if (strcmp(how, "recv") == 0)
		return (int)recv(sock, &byte, 1, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return sem_timedwait(&semaphore, &until);
}

static void run_block(const char *how)
{
	struct timeval v = {0, MS * 1000};
	int epoll = epoll_create1(0), sock[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock) != 0 ||
	    setsockopt(sock[0], SOL_SOCKET, SO_RCVTIMEO, &v, sizeof(v)) != 0)
		exit(1);
	ready();
	while (!is_over) {
		errno = 0;
		if (block(how, epoll, sock[0]) < 0 && errno == EINTR && !is_over)
			interrupted++;
	}
}

/* ---- storm ---- */

static double reckon(void)
{
	double x = 1;

	for (int i = 1; i < 2000; i++)
		x = x * 1.0000001 + 1e-9 * i;
	return x;
}

static void run_storm(void)
{
	const struct itimerval every = {{0, 300}, {0, 300}};
	double first = reckon();

	handle(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &every, NULL);
	ready();
	while (!is_over) {
		void *block_of_any_size = malloc(3000 + sink % 5000);

		if (reckon() != first)
			wrong++;
		free(block_of_any_size);
	}
}

/* ---- alloc ---- */

static void *allocate_only(void *unused)
{
	void *blocks[64] = {NULL};

	(void)unused;
	for (size_t n = 0; !is_over; n++) { /* of sizes that a thread keeps none of for itself */
		free(blocks[n * 7 % 64]);
		blocks[n * 7 % 64] = malloc(1100 + n * 37 % 5000);
	}
	return NULL;
}

static void run_alloc(int n)
{
	pthread_t thread;

	for (int i = 1; i < n; i++)
		pthread_create(&thread, NULL, allocate_only, NULL);
	ready();
	allocate_only(NULL);
}

/* ---- vfork ---- */

static atomic_bool may_return;

static void on_return(int number)
{
	(void)number;
	may_return = true;
}

static void run_vfork(void)
{
	static const struct timespec nap = {0, 1000000};
	pthread_t thread;
	sigset_t set;

	handle(SIGUSR1, on_return);
	pthread_create(&thread, NULL, work, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1); /* the other thread gets it: this one cannot */
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ready();
	if (vfork() == 0) {
		while (!may_return && !is_over)
			nanosleep(&nap, NULL);
		_exit(0);
	}
	puts("returned");
	fflush(stdout);
	pthread_join(thread, NULL);
}

/* ---- ends ---- */

static void *sleep_long(void *unused)
{
	(void)unused;
	sleep(1000);
	return NULL;
}

static int end_forks(void)
{
	int status, n = 0;

	for (int i = 0; i < 50; i++) {
		pid_t child = fork();

		if (!child) {
			deep(3);
			_exit(i % 7);
		}
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != i % 7)
			n++;
	}
	return n ? 1 : 9;
}

static int end_cancel(void)
{
	pthread_t thread;
	void *result = NULL;

	pthread_create(&thread, NULL, sleep_long, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	for (int i = 0; i < 200; i++)
		deep(20);
	return result == PTHREAD_CANCELED ? 8 : 1;
}

static void run_ends(const char *how, bool has_thread)
{
	sigset_t set;
	pthread_t thread;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (has_thread)
		pthread_create(&thread, NULL, sleep_long, NULL);
	ready();
	sigwait(&set, &number);
	for (int i = 0; i < 2000; i++)
		deep(20);
	if (strcmp(how, "exec") == 0)
		execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
	if (strcmp(how, "_exit") == 0)
		_exit(6);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "fork") == 0)
		exit(end_forks());
	exit(strcmp(how, "cancel") == 0 ? end_cancel() : 7);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";

	handle(SIGTERM, on_end);
	if (strcmp(mode, "threads") == 0)
		run_threads();
	else if (strcmp(mode, "block") == 0)
		run_block(how);
	else if (strcmp(mode, "storm") == 0)
		run_storm();
	else if (strcmp(mode, "alloc") == 0)
		run_alloc(atoi(how));
	else if (strcmp(mode, "vfork") == 0)
		run_vfork();
	else if (strcmp(mode, "ends") == 0)
		run_ends(how, argc > 3);
	else
		return 2;
	printf("interrupted %lu wrong %lu\n", interrupted, wrong);
	return 0;
}
