/* SPDX-License-Identifier: MIT */
/*
 * pager.c - starts the pager, the program that shows output that is longer than the screen.
 *
 * In: a shell command. Out: a pipe to the pager.
 */
#include "pipeline/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/startup.h"

static const char *shell_command;
static pid_t child;
static void (*on_interrupt)(int); /* what SIGINT did before the pager was started */

const char *pager_default(void)
{
	const char *command = getenv("PAGER");

	if (command && *command)
		return command;
	return "command -v less >/dev/null && exec less -FRX; exec cat";
}

/* Called in the child. A program expects that SIGPIPE ends it, which cpprof ignores. */
static void become_pager(int fd)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	if (dup2(fd, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", shell_command, (char *)NULL);
	_exit(127);
}

static int start(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	on_interrupt = signal(SIGINT, SIG_IGN);
	if (!startup_ends(on_interrupt))
		signal(SIGINT, on_interrupt);
	child = fork();
	if (child == 0)
		become_pager(ends[0]);
	close(ends[0]);
	if (child < 0) {
		signal(SIGINT, on_interrupt);
		close(ends[1]);
		return -1;
	}
	return ends[1];
}

static void finish(void)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, on_interrupt);
}

const struct out_pager *pager_of(const char *command)
{
	static const struct out_pager pager = {start, finish};

	shell_command = command;
	return command ? &pager : NULL;
}
