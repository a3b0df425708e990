/* SPDX-License-Identifier: MIT */
/*
 * regular.c - opens files by names that others have given.
 */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define HOW (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Opens what is looked at already. Where there is no /proc its name may mean something else by now; O_NONBLOCK keeps that from
 * waiting. */
static int open_again(int seen, const char *path, struct stat *is)
{
	char again[32];
	int fd;

	snprintf(again, sizeof(again), "/proc/self/fd/%d", seen);
	fd = open(again, HOW);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(path, HOW);
	if (fd < 0 || (fstat(fd, is) == 0 && S_ISREG(is->st_mode)))
		return fd;
	close(fd);
	errno = ENOEXEC;
	return -1;
}

int regular_open(const char *path, struct stat *is)
{
	int seen = open(path, O_PATH | O_CLOEXEC), fd = -1, error;

	if (seen < 0)
		return -1;
	if (fstat(seen, is) == 0) {
		errno = ENOEXEC;
		if (S_ISREG(is->st_mode))
			fd = open_again(seen, path, is);
	}
	error = errno;
	close(seen);
	errno = error;
	return fd;
}
