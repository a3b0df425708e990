/* SPDX-License-Identifier: MIT */
/*
 * signal_ways.c - uses SIGPROF for itself, or all signals at once, while it burns CPU time; one way
 * for each argument.
 *
 * 	timer       its own ITIMER_PROF, with a handler
 * 	wait        everything blocked: sigpending, sigtimedwait, sigwait, signalfd on full sets
 * 	masks       sees the masks that it has set, also from a thread
 * 	old         sigset, sighold, sigrelse, sigignore, siginterrupt, and what sigaction says of them
 * 	turns       handler, default, ignored, and once more, from two threads at the same time
 * 	ignored, blocked    executes itself with SIGPROF so, which finds it so
 * 	report      the second half of that
 *
 * Prints what happened: the same with and without a recorder.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "burn.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define BIT(number) (1 << ((number)-1))

static volatile sig_atomic_t caught;

static void handler(int number)
{
	(void)number;
	caught++;
}

static const char *disposition(void)
{
	struct sigaction a;

	sigaction(SIGPROF, NULL, &a);
	return a.sa_handler == handler	 ? "handler"
	       : a.sa_handler == SIG_IGN ? "ignored"
	       : a.sa_handler == SIG_DFL ? "default"
					 : "strange";
}

/* On a busy machine the kernel looks at its CPU timers less often. */
static void own_timer(void)
{
	struct itimerval every = {{0, 10000}, {0, 10000}}, now, off = {0};

	signal(SIGPROF, handler);
	setitimer(ITIMER_PROF, &every, NULL);
	burn_for(500, 400000);
	getitimer(ITIMER_PROF, &now);
	setitimer(ITIMER_PROF, &off, NULL);
	printf("timer: interval %ld us, ", (long)now.it_interval.tv_usec);
	if (caught >= 5 && caught <= 120)
		puts("ticks as many as there should be");
	else
		printf("%d ticks\n", (int)caught);
}

static void *raiser(void *thread)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

static void wait_for_all(void)
{
	struct timespec soon = {0, 50000000};
	pthread_t self = pthread_self(), t;
	struct signalfd_siginfo info;
	sigset_t all, pending;
	int number = 0, fd, n = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	burn_for(200, 400000);
	sigpending(&pending);
	for (int i = 1; i < 65; i++)
		n += sigismember(&pending, i) == 1;
	printf("wait: %d pending", n);
	n = sigtimedwait(&all, NULL, &soon);
	printf(", sigtimedwait %d %s", n, strerror(errno));
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	burn_for(200, 400000);
	n = (int)read(fd, &info, sizeof(info));
	printf(", signalfd %d %s", n, strerror(errno));
	pthread_create(&t, NULL, raiser, &self);
	sigwait(&all, &number);
	pthread_join(t, NULL);
	printf(", sigwait %s", strsignal(number));
	raise(SIGPROF);
	sigpending(&pending);
	printf(", pending %d", sigismember(&pending, SIGPROF));
	n = (int)read(fd, &info, sizeof(info));
	printf(", signalfd %d %s\n", n, strsignal((int)info.ssi_signo));
	close(fd);
}

static void *show_mask(void *name)
{
	sigset_t now;
	int n = 0;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	for (int i = 1; i < 65; i++)
		n += sigismember(&now, i) == 1;
	printf("masks: %s: SIGPROF %d, %d in all\n", (char *)name, sigismember(&now, SIGPROF), n);
	return name;
}

static void masks(void)
{
	char names[][16] = {"first", "set", "thread", "old calls", "none"};
	sigset_t set;
	pthread_t t;

	show_mask(names[0]);
	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	show_mask(names[1]);
	pthread_create(&t, NULL, show_mask, names[2]);
	pthread_join(t, NULL);
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	printf("masks: sigblock %d, sigsetmask %d\n", sigblock(BIT(SIGPROF)),
	       sigsetmask(BIT(SIGPROF) | BIT(SIGUSR1)) != 0);
	show_mask(names[3]);
	sigsetmask(0);
	show_mask(names[4]);
	burn_for(200, 400000);
}

static void old(void)
{
	printf("old: sigset %d", sigset(SIGPROF, handler) == SIG_DFL);
	printf(" %s", disposition());
	printf(", hold %d", sighold(SIGPROF));
	raise(SIGPROF);
	printf(" %d", (int)caught);
	burn_for(100, 400000);
	printf(", release %d", sigrelse(SIGPROF));
	printf(" %d", (int)caught);
	printf(", sigset hold %d", sigset(SIGPROF, SIG_HOLD) == handler);
	printf(" %d", sigset(SIGPROF, handler) == SIG_HOLD);
	printf(", interrupt %d", siginterrupt(SIGPROF, 1));
	printf(", ignore %d %s", sigignore(SIGPROF), disposition());
	raise(SIGPROF);
	printf(", signal %d", signal(SIGPROF, SIG_DFL) == SIG_IGN);
	printf(", sysv %d", sysv_signal(SIGPROF, handler) == SIG_DFL);
	raise(SIGPROF);
	printf(" %d %s\n", (int)caught, disposition());
	burn_for(200, 400000);
}

static void *turn(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		signal(SIGPROF, handler);
		signal(SIGPROF, SIG_IGN);
		burn_for(0, 400000);
	}
	burn_for(200, 400000);
	return unused;
}

static void turns(void)
{
	pthread_t t;

	pthread_create(&t, NULL, turn, NULL);
	turn(NULL);
	pthread_join(t, NULL);
	printf("turns: %s, caught %d\n", disposition(), (int)caught);
}

static void report(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("report: %s, blocked %d\n", disposition(), sigismember(&now, SIGPROF));
	burn_for(200, 400000);
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("report: %s, blocked %d\n", disposition(), sigismember(&now, SIGPROF));
}

static void execute(const char *program, const char *how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	if (strcmp(how, "ignored") == 0)
		signal(SIGPROF, SIG_IGN);
	else
		sigprocmask(SIG_BLOCK, &set, NULL);
	burn_for(100, 400000);
	execl(program, program, "report", (char *)NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"timer", own_timer}, {"wait", wait_for_all}, {"masks", masks},
		    {"old", old},	  {"turns", turns},	  {"report", report}};

	for (size_t k = 0; argc > 1 && k < sizeof(ways) / sizeof(ways[0]); k++)
		if (strcmp(argv[1], ways[k].name) == 0)
			ways[k].run();
	if (argc > 1 && (strcmp(argv[1], "ignored") == 0 || strcmp(argv[1], "blocked") == 0))
		execute(argv[0], argv[1]);
	return 0;
}
