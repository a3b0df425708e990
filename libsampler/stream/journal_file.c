/* SPDX-License-Identifier: MIT */
/*
 * journal_file.c - creates the journal's file and maps it.
 *
 * In: a path. Out: memory that the kernel writes to the file (doc/decisions/0043).
 */
#include <errno.h>
#include <linux/fs.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/descriptor.h"
#include "base/sys.h"
#include "stream/journal_file.h"
#include "base/poison.h"

/* Asks the file system to overwrite pages in place. A copy-on-write file system (btrfs) needs free
 * space for each page that is written, which fallocate does not reserve. */
static bool overwrite_in_place(int fd)
{
	long flags = 0;

	if (CPS_SYS(ioctl, fd, FS_IOC_GETFLAGS, &flags, 0) != 0)
		return false;
	flags |= FS_NOCOW_FL;
	return CPS_SYS(ioctl, fd, FS_IOC_SETFLAGS, &flags, 0) == 0;
}

/* Reserves disk space for every page, so that a disk that becomes full does not end the journal. */
static int reserve(int fd, size_t bytes)
{
	static const uint8_t zeros[4096];
	int error;

	do
		error = (int)CPS_SYS(fallocate, fd, 0, 0, bytes);
	while (error == -EINTR);
	if (error != -EOPNOTSUPP && error != -ENOSYS)
		return error;
	for (size_t done = 0; done < bytes;) {
		size_t left = bytes - done;
		long n = cps_sys_write(fd, zeros, left < sizeof(zeros) ? left : sizeof(zeros));

		if (n <= 0 && n != -EINTR)
			return n < 0 ? (int)n : -ENOSPC;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static uint8_t *map_fd(int fd, size_t bytes, void *at)
{
	long result;

	if (!at)
		return cps_sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	result = cps_sys6(SYS_mmap, (long)at, (long)bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0);
	return result == (long)at ? at : NULL;
}

uint8_t *cps_journal_file_map(const char *path, size_t bytes, void *at, bool *copies_on_write)
{
	uint8_t *mapped = NULL;
	int fd;

	if (cps_sys_exceeds_file_limit(bytes))
		return NULL;
	fd = cps_descriptor_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return NULL;
	*copies_on_write = overwrite_in_place(fd);
	if (reserve(fd, bytes) == 0)
		mapped = map_fd(fd, bytes, at);
	cps_sys_close(fd);
	if (!mapped) {
		cps_sys_unlink(path);
		return NULL;
	}
	cps_arena_unlock(mapped, bytes);
	/* Without this, the first touch would read a megabyte of zeros ahead, which takes half a ms. */
	CPS_SYS(madvise, mapped, bytes, MADV_RANDOM, 0);
	return mapped;
}
