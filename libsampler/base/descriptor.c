/* SPDX-License-Identifier: MIT */
/*
 * descriptor.c - moves descriptors to numbers that the target's own files hardly ever get.
 *
 * In: a descriptor with the lowest free number. Out: one with a high number.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "base/sys.h"
#include "base/poison.h"

int cps_descriptor_move(int fd, bool (*is_same)(int a, int b))
{
	int moved;

	if (fd < 0 || fd >= CPS_DESCRIPTOR_LEAST)
		return fd;
	moved = (int)CPS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, CPS_DESCRIPTOR_LEAST, 0);
	if (moved < 0)
		return fd;
	if (is_same(fd, moved))
		cps_sys_close(fd);
	return moved;
}

static bool is_same_file(int a, int b)
{
	struct stat s, t;

	return CPS_SYS(fstat, a, &s, 0, 0) == 0 && CPS_SYS(fstat, b, &t, 0, 0) == 0 &&
	       s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

int cps_descriptor_open(const char *path, int flags, int mode)
{
	return cps_descriptor_move(cps_sys_open(path, flags, mode), is_same_file);
}
