/* SPDX-License-Identifier: MIT */
/*
 * other_libc.c - calls what the recorder wraps, and says what came of it.
 *
 * To be built with musl-gcc: a library that is preloaded there, too, must not change any of it.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	(void)number;
	handled++;
}

static void *work(void *argument)
{
	return argument;
}

static int wait_for_child(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(5);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, now = {0};
	struct pollfd none = {.fd = -1};
	sigset_t set;
	stack_t stack;
	pthread_t thread;
	void *result = NULL;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &now);
	signal(SIGUSR2, on_signal);
	raise(SIGUSR1);
	raise(SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigaltstack(NULL, &stack);
	if (pthread_create(&thread, NULL, work, &action) == 0)
		pthread_join(thread, &result);
	printf("handled %d, same %d, stack %d, thread %d, poll %d, child %d\n", (int)handled,
	       now.sa_handler == on_signal, stack.ss_flags, result == &action, poll(&none, 1, 1),
	       wait_for_child());
	fflush(stdout);
	execl("/bin/echo", "echo", "and exec", (char *)NULL);
	return 3;
}
