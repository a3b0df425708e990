/* SPDX-License-Identifier: MIT */
/*
 * processes.c - becomes several processes, in one of the ways there are.
 *
 * 	processes MODE [END]
 *
 * Each process that is to be recorded uses CPU time, the first one in in_parent() and the others in
 * in_child(), and then appends "ROLE PID PARENT NS" to the file $REPORT: who it is, whose child,
 * and what it has used. END is how the child ends: exit (the default), _exit, quick_exit, abort.
 */
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static const char *self, *how;
static pid_t parent;
static uint64_t used_before;
static volatile uint64_t sink;

static void in_parent(void)
{
	for (int i = 0; i < 12; i++)
		sink = burn(sink + 1, BURN_LONG);
}

static void in_child(void)
{
	for (int i = 0; i < 24; i++)
		sink = burn(sink + 1, BURN_LONG);
}

static void report(const char *role)
{
	uint64_t used = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - used_before;
	int fd = open(getenv("REPORT"), O_WRONLY | O_APPEND | O_CREAT, 0666);
	char line[100];
	int n = snprintf(line, sizeof(line), "%s %d %d %llu\n", role, (int)getpid(), (int)parent,
			 (unsigned long long)used);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
}

/* In a child that has a copy of our memory. */
static void be_child(pid_t of)
{
	parent = of;
	used_before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	in_child();
	report("child");
	if (strcmp(how, "_exit") == 0)
		_exit(0);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(0);
	if (strcmp(how, "abort") == 0)
		abort();
	exit(0);
}

static int be_child_of(void *of)
{
	parent = *(pid_t *)of;
	used_before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	in_child();
	report("child");
	return 0;
}

static pid_t by_fork(pid_t me)
{
	pid_t pid = fork();

	if (pid == 0)
		be_child(me);
	return pid;
}

static pid_t by_Fork(pid_t me)
{
	pid_t pid = _Fork();

	if (pid == 0)
		be_child(me);
	return pid;
}

static pid_t by_forkpty(pid_t me)
{
	int terminal;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0)
		be_child(me);
	return pid;
}

/* The child outlives the call's frame, not the process: its memory is its own. */
static pid_t by_clone(pid_t me)
{
	static char stack[1 << 18];

	return clone(be_child_of, stack + sizeof(stack), SIGCHLD, &me);
}

static void *in_thread(void *me)
{
	in_child();
	*(pid_t *)me = by_fork(*(pid_t *)me);
	return NULL;
}

static pid_t by_thread(pid_t me)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, &me);
	pthread_join(thread, NULL);
	return me;
}

static pid_t by_child_of_child(pid_t me)
{
	pid_t pid = fork();

	if (pid == 0) {
		parent = me;
		used_before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
		in_child();
		waitpid(by_fork(getpid()), NULL, 0);
		report("middle");
		exit(0);
	}
	return pid;
}

static pid_t by_vfork(pid_t me)
{
	pid_t pid = vfork();

	(void)me;
	if (pid == 0) {
		execl(self, self, "leaf", (char *)NULL);
		_exit(127);
	}
	return pid;
}

static pid_t by_spawn(pid_t me)
{
	char *argv[] = {(char *)(uintptr_t)self, (char *)(uintptr_t) "leaf", NULL};
	pid_t pid;

	(void)me;
	return posix_spawn(&pid, self, NULL, NULL, argv, environ) ? -1 : pid;
}

static pid_t by_system(pid_t me)
{
	char command[4096];

	(void)me;
	snprintf(command, sizeof(command), "'%s' leaf", self);
	return system(command) == 0 ? 0 : -1;
}

static pid_t by_popen(pid_t me)
{
	char command[4096], line[16];
	FILE *f;

	(void)me;
	snprintf(command, sizeof(command), "'%s' leaf; echo x", self);
	f = popen(command, "r");
	return f && fgets(line, sizeof(line), f) && pclose(f) == 0 ? 0 : -1;
}

/* The first process has ended when it returns: it reports before. */
static pid_t by_daemon(pid_t me)
{
	report("parent");
	if (daemon(1, 0) != 0)
		abort();
	be_child(me);
	return 0;
}

/* A child that shares our memory, and does what might end or change what is recorded of us. */
static void vfork_and_fail(char *const *argv, const struct sigaction *ignore)
{
	pid_t pid = vfork();

	if (pid == 0) {
		sigaction(SIGPROF, ignore, NULL);
		execve("/nonexistent", argv, environ);
		_exit(3);
	}
	waitpid(pid, NULL, 0);
}

static pid_t by_many_vforks(pid_t me)
{
	char *argv[] = {(char *)(uintptr_t) "true", NULL};
	struct sigaction action = {.sa_handler = SIG_IGN};
	pid_t pid;

	(void)me;
	for (int i = 0; i < 100; i++) {
		sink = burn(sink, BURN_LONG / 4);
		vfork_and_fail(argv, &action);
		if (posix_spawnp(&pid, i % 2 ? "true" : "/nonexistent", NULL, NULL, argv,
				 environ) == 0)
			waitpid(pid, NULL, 0);
	}
	sigaction(SIGPROF, NULL, &action);
	return action.sa_handler == SIG_DFL ? 0 : -1;
}

static const struct {
	const char *name;
	pid_t (*make)(pid_t me);
} modes[] = {
	{"fork", by_fork},	 {"_Fork", by_Fork},	{"clone", by_clone},
	{"forkpty", by_forkpty}, {"thread", by_thread}, {"grandchild", by_child_of_child},
	{"vfork", by_vfork},	 {"spawn", by_spawn},	{"system", by_system},
	{"popen", by_popen},	 {"daemon", by_daemon}, {"vforks", by_many_vforks},
};

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pid_t pid = -1;

	self = argv[0];
	how = argc > 2 ? argv[2] : "exit";
	parent = getppid();
	if (strcmp(mode, "leaf") == 0) {
		in_child();
		report("child");
		return 0;
	}
	in_parent();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i].name) == 0)
			pid = modes[i].make(getpid());
	in_parent();
	if (pid > 0)
		waitpid(pid, NULL, 0);
	report("parent");
	return pid < 0;
}
