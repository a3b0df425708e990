/* SPDX-License-Identifier: MIT */
/*
 * launcher_killer.c - kills a launcher at one of its system calls.
 *
 * In: N, a program with arguments that attaches to another. Out: the process of it that attaches is killed at its N-th stop at
 * the begin or end of a system call, counted from its first PTRACE_SEIZE on. Status 0: it was; 1: it has ended before.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t attacher;
static long n_stops;

/* Whether the stop is the one. */
static bool is_due(pid_t pid, long wanted)
{
	struct user_regs_struct r;

	if (!attacher && ptrace(PTRACE_GETREGS, pid, 0, &r) == 0 && r.orig_rax == SYS_ptrace &&
	    r.rdi == PTRACE_SEIZE)
		attacher = pid;
	return pid == attacher && n_stops++ == wanted;
}

static pid_t start(char **argv)
{
	pid_t child = fork();
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execv(argv[0], argv);
		_exit(127);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL);
	ptrace(PTRACE_SYSCALL, child, 0, 0);
	return child;
}

int main(int argc, char **argv)
{
	long wanted = argc > 2 ? atol(argv[1]) : 0;
	pid_t first = argc > 2 ? start(argv + 2) : 0, pid;
	int status;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		int number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (!WIFSTOPPED(status))
			continue;
		if (number == (SIGTRAP | 0x80) && is_due(pid, wanted)) {
			kill(pid, SIGKILL);
			kill(first, SIGKILL);
			while (waitpid(-1, &status, __WALL) > 0)
				;
			return 0;
		}
		if ((number & 0x7f) == SIGTRAP || number == SIGSTOP)
			number = 0;
		ptrace(PTRACE_SYSCALL, pid, 0, number);
	}
	return 1;
}
