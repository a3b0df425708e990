/* SPDX-License-Identifier: MIT */
/*
 * pager.c - starts the pager, and Graphviz.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options/options.h"
#include "pipeline/message.h"
#include "pipeline/pager.h"

/* ---- pager ----------------------------------------------------------------------------------- */

static const char *shell_command;
static pid_t pager_process;
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
	pager_process = fork();
	if (pager_process == 0)
		become_pager(ends[0]);
	close(ends[0]);
	if (pager_process < 0) {
		signal(SIGINT, on_interrupt);
		close(ends[1]);
		return -1;
	}
	return ends[1];
}

static void finish(void)
{
	while (waitpid(pager_process, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, on_interrupt);
}

const struct out_pager *pager_of(const char *command)
{
	static const struct out_pager pager = {start, finish};

	shell_command = command;
	return command ? &pager : NULL;
}

/* ---- picture --------------------------------------------------------------------------------- */
/*
 * Both files have temporary names beside the output until all is well.
 */

#define NOT_FOUND 127 /* as shells say it */

const char *picture_format(const struct view *view, const char *output)
{
	return view == &view_dot ? options_picture(output) : NULL;
}

/* An empty file beside the output. NULL: error. */
static char *make_temporary(const char *output, struct error *err)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s.XXXXXX", output) < 0) {
		error_memory(err);
		return NULL;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return name;
	}
	out_refuse(output, errno, err);
	free(name);
	return NULL;
}

static int write_dot(const struct view *view, const struct view_input *in, const char *file,
		     struct error *err)
{
	struct error unused;
	struct out *o = out_open(file, err);
	int status;

	if (!o)
		return -1;
	status = view_show(view, in, o, err);
	return out_close(o, !status, status ? &unused : err) ? -1 : status;
}

static int draw(const char *format, const char *from, const char *to, struct error *err)
{
	char type[8];
	int status = 0;
	pid_t child;

	snprintf(type, sizeof(type), "-T%s", format);
	child = fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_DFL);
		execlp("dot", "dot", type, "-o", to, from, (char *)NULL);
		_exit(NOT_FOUND);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		return error_set(err, "dot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return error_set(err,
				 "there is no Graphviz here (the program dot) to draw a %s; "
				 "-o x.dot writes what it reads",
				 format);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(err, "Graphviz (the program dot) has failed");
	return 0;
}

/* A new file has the rights that the user's mask leaves it. */
static int place(const char *temporary, const char *output, struct error *err)
{
	mode_t mask = umask(0);

	umask(mask);
	if (chmod(temporary, 0666 & ~mask) == 0 && rename(temporary, output) == 0)
		return 0;
	return error_set(err, "%s: %s", output, strerror(errno));
}

int picture_write(const struct view *view, const struct view_input *in, const char *format,
		  const char *output, struct error *err)
{
	char *dot = make_temporary(output, err);
	char *picture = dot ? make_temporary(output, err) : NULL;
	int status = picture ? write_dot(view, in, dot, err) : -1;

	if (!status)
		status = draw(format, dot, picture, err);
	if (!status)
		status = place(picture, output, err);
	if (dot)
		unlink(dot);
	if (picture && status)
		unlink(picture);
	free(dot);
	free(picture);
	return status;
}
