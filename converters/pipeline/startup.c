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

void startup(const char *name)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write() then fails with EPIPE, which out.c takes as the end */
	message_program(name);
}
