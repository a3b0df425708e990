/* SPDX-License-Identifier: MIT */
/*
 * owns_sigprof.c - uses SIGPROF for itself, while it burns CPU time, and leaves by _exit.
 *
 * 	owns_sigprof handler     installs a handler, raises the signal 100 times
 * 	owns_sigprof old         the same through signal(2)
 * 	owns_sigprof ignore      ignores it, raises it
 * 	owns_sigprof default     raises it: the process must die of it
 * 	owns_sigprof fork        a forked child must see what its parent installed, and die by default
 *
 * Prints what happened; the same with and without a recorder.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile sig_atomic_t caught, caught_with_mask;

static void handler(int number)
{
	sigset_t mask;

	caught++;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	caught_with_mask += sigismember(&mask, number) && !sigismember(&mask, SIGUSR1) &&
			    sigismember(&mask, SIGUSR2);
}

static uint64_t burn_ms(uint64_t ms)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000, x = 1;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		x = burn(x, ms > 1 ? BURN_LONG : 10000);
	return x;
}

static void install(sighandler_t what)
{
	struct sigaction action = {.sa_handler = what}, got;

	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGPROF, &action, NULL);
	sigaction(SIGPROF, NULL, &got);
	printf("installed: %s\n", got.sa_handler == what ? "yes" : "no");
}

static void child(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		raise(SIGPROF);
		_exit(caught);
	}
	waitpid(pid, &status, 0);
	printf("child: %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	struct sigaction before;

	sigaction(SIGPROF, NULL, &before);
	printf("before: %s\n", before.sa_handler == SIG_DFL ? "default" : "other");
	burn_ms(300);
	if (strcmp(mode, "handler") == 0)
		install(handler);
	else if (strcmp(mode, "old") == 0)
		printf("was: %s\n", signal(SIGPROF, handler) == SIG_DFL ? "default" : "other");
	else if (strcmp(mode, "ignore") == 0)
		install(SIG_IGN);
	else if (strcmp(mode, "fork") == 0) {
		child();
		install(handler);
		child();
	}
	fflush(stdout);
	for (int i = 0; strcmp(mode, "fork") != 0 && i < 100; i++) {
		burn_ms(1);
		raise(SIGPROF);
	}
	burn_ms(300);
	printf("caught: %d, with mask: %d\n", (int)caught, (int)caught_with_mask);
	fflush(stdout);
	_exit(3);
}
