/* SPDX-License-Identifier: MIT */
/*
 * test_regular.c - regular.h opens regular files, and says of others that they are none.
 *
 * Seen to fail: with open(2) alone, which opens directories and devices, too.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

#include "base/regular.h"

static void refuses(const char *path, int error)
{
	struct stat s;

	errno = 0;
	cr_assert_eq(regular_open(path, &s), -1, "%s", path);
	cr_assert_eq(errno, error, "%s: %d", path, errno);
}

Test(regular, only_regular_files)
{
	char path[] = "/tmp/test_regular.XXXXXX", byte;
	int made = mkstemp(path), fd;
	struct stat s;

	cr_assert(made >= 0 && write(made, "x", 1) == 1);
	fd = regular_open(path, &s);
	cr_assert(fd >= 0 && s.st_size == 1);
	cr_assert(read(fd, &byte, 1) == 1 && byte == 'x');
	close(fd);
	close(made);
	unlink(path);
	refuses(path, ENOENT);
	refuses("/dev/null", ENOEXEC);
	refuses("/tmp", ENOEXEC);
	cr_assert(mkfifo(path, 0600) == 0);
	refuses(path, ENOEXEC);
	unlink(path);
}
