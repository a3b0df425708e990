/* SPDX-License-Identifier: MIT */
/*
 * summary.c - writes one line that says what was recorded.
 *
 * In: counters. Out: one write to standard error.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sys.h"
#include "base/text.h"
#include "process/summary.h"
#include "stream/loss.h"
#include "stream/recording.h"

static const char *const reasons[CPS_STOP_COUNT] = {
	[CPS_STOP_LIMIT] = "CPSAMPLE_MAX_BYTES is reached",
	[CPS_STOP_CREATE] = "the output cannot be created",
	[CPS_STOP_WRITE] = "the output cannot be written",
	[CPS_STOP_CLOCK] = "the clock cannot be started",
};

static const char *const losses[CPS_LOSS_COUNT] = {CPS_LOSS_TEXTS};

static char
	error_path[4096]; /* of standard error; empty: it is a pipe or the like, or was closed */
static struct stat error_file;
static bool was_open;

void cps_summary_prepare(void)
{
	long n = CPS_SYS(readlinkat, AT_FDCWD, "/proc/self/fd/2", error_path,
			 sizeof(error_path) - 1);

	was_open = CPS_SYS(fstat, 2, &error_file, 0, 0) == 0;
	error_path[n > 0 ? n : 0] = '\0';
	if (*error_path != '/' || !was_open)
		*error_path = '\0';
}

static bool is_error_file(int fd)
{
	struct stat now;

	return was_open && CPS_SYS(fstat, fd, &now, 0, 0) == 0 && now.st_dev == error_file.st_dev &&
	       now.st_ino == error_file.st_ino;
}

/* Programs such as sort(1) close standard error at their end, to see whether all was written. */
static int reopen(void)
{
	int fd = *error_path ? cps_descriptor_open(error_path,
						   O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK, 0)
			     : -1;

	if (fd < 0 || is_error_file(fd))
		return fd;
	cps_sys_close(fd);
	return -1;
}

/* A program that has closed standard error may have a file of its own at descriptor 2. */
static void say(const char *line, size_t n)
{
	int fd;

	if (CPS_SYS(fcntl, 2, F_GETFD, 0, 0) != -EBADF) {
		if (is_error_file(2))
			cps_sys_write(2, line, n);
		return;
	}
	fd = reopen();
	if (fd < 0)
		return;
	cps_sys_write(fd, line, n);
	cps_sys_close(fd);
}

/* " (3 buffers busy, 1 no memory)", or nothing. */
static void say_losses(char *text, size_t room)
{
	size_t n = 0;

	*text = '\0';
	for (int i = 0; i < CPS_LOSS_COUNT && n < room; i++)
		if (cps_loss_get((enum cps_loss)i))
			n += (size_t)snprintf(text + n, room - n, "%s%llu %s", n ? ", " : " (",
					      (unsigned long long)cps_loss_get((enum cps_loss)i),
					      losses[i]);
	if (n && n < room)
		snprintf(text + n, room - n, ")");
}

void cps_summary(const char *name, const char *stem, const char *suffix, uint64_t cpu_ns)
{
	const char *path = cps_recording_path();
	/* Not of floating point: a program may have enabled exceptions, and block signals. */
	uint64_t ms = (cpu_ns + 500000) / 1000000;
	char line[5120], why[160] = "", lost[512];
	int error, n;
	enum cps_stop stop = cps_loss_stop_reason(&error);

	if (reasons[stop])
		snprintf(why, sizeof(why), " (%s%s%s)", reasons[stop], error ? ": " : "",
			 error ? cps_error_text(error) : "");
	say_losses(lost, sizeof(lost));
	n = snprintf(
		line, sizeof(line),
		"cpsample: %.64s[%d]: %llu samples, %llu lost%s, %llu.%03u s of CPU time%s%s%s%s\n",
		name, (int)cps_sys_getpid(), (unsigned long long)cps_recording_ticks(),
		(unsigned long long)cps_loss_sum(), lost, (unsigned long long)(ms / 1000),
		(unsigned)(ms % 1000), why,
		path		? ": "
		: reasons[stop] ? ", no file: "
				: ", no file",
		path		? path
		: reasons[stop] ? stem
				: "",
		!path && reasons[stop] ? suffix : "");
	if (n > 0)
		say(line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}
