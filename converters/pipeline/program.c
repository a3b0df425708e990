/* SPDX-License-Identifier: MIT */
/*
 * program.c - begins and ends both programs.
 *
 * In: a name, an error. Out: an exit status.
 */
#include "pipeline/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/message.h"

/* A file opened in the place of a closed standard descriptor would be written to by mistake. */
static void hold_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void program_begin(const char *name)
{
	hold_descriptors();
	signal(SIGPIPE, SIG_IGN); /* write then fails with EPIPE, which out takes as the end */
	message_program(name);
}

int program_die(const struct error *err)
{
	message("%s", err->text);
	return err->is_usage ? EXIT_USAGE : EXIT_FAILURE;
}

int program_print(void (*write)(struct out *o))
{
	struct error err;
	struct out *o = out_open(NULL, &err);

	if (!o)
		return program_die(&err);
	write(o);
	return out_close(o, true, &err) ? program_die(&err) : EXIT_SUCCESS;
}
