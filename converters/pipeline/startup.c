/* SPDX-License-Identifier: MIT */
/*
 * startup.c - prepares descriptors, signals and messages.
 *
 * In: the program's name. Out: descriptors and signals as the rest of the program expects them.
 */
#include "pipeline/startup.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "pipeline/message.h"
#include "write/out.h"

/* If a standard descriptor is closed, the next file that is opened gets its number, and output
 * would be written to that file by mistake. */
static void hold_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The signal ends the program as it would without a handler. */
static void end(int number)
{
	out_abandon();
	signal(number, SIG_DFL);
	raise(number);
}

bool startup_ends(void (*handler)(int))
{
	return handler == SIG_DFL || handler == end;
}

/* Whoever starts the program may want one of them to be ignored. */
static void end_by(int number)
{
	if (signal(number, end) == SIG_IGN)
		signal(number, SIG_IGN);
}

void startup(const char *name)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write() then fails with EPIPE, which out.c takes as the end */
	end_by(SIGINT);
	end_by(SIGTERM);
	end_by(SIGHUP);
	message_program(name);
}
