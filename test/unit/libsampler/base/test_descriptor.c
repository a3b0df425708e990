/* SPDX-License-Identifier: MIT */
/*
 * test_descriptor.c - descriptors are moved, and those of the target stay where they are.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libsampler/base/sys.h"

static int others[2]; /* files that are none of ours */

static void begin(void)
{
	cr_assert_eq(pipe(others), 0);
}

TestSuite(descriptor, .init = begin);

static ino_t file_at(int fd)
{
	struct stat s;

	return fstat(fd, &s) == 0 ? s.st_ino : 0;
}

static bool is_same_inode(int a, int b)
{
	return file_at(a) == file_at(b);
}

/* Puts another file there, as the target may in another thread at this moment. */
static bool replace_and_compare(int a, int b)
{
	dup2(others[0], a);
	return is_same_inode(a, b);
}

static int next_number(void)
{
	int fd = dup(others[0]);

	close(fd);
	return fd;
}

Test(descriptor, leaves_the_lowest_number_free)
{
	struct stat s;
	int lowest = next_number(), fd = cps_descriptor_open("/proc/self/exe", O_RDONLY, 0);

	cr_assert_geq(fd, CPS_DESCRIPTOR_LEAST);
	cr_assert_eq(next_number(), lowest);
	cr_assert_eq(stat("/proc/self/exe", &s), 0);
	cr_assert_eq(file_at(fd), s.st_ino);
	cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	cr_assert_eq(cps_descriptor_open("/nowhere", O_RDONLY, 0), -ENOENT);
}

Test(descriptor, does_not_close_another_file)
{
	int lowest = next_number(), fd = open("/proc/self/exe", O_RDONLY), moved;
	ino_t ours = file_at(fd);

	cr_assert_eq(fd, lowest);
	moved = cps_descriptor_move(fd, replace_and_compare);
	cr_assert_geq(moved, CPS_DESCRIPTOR_LEAST);
	cr_assert_eq(file_at(moved), ours);
	cr_assert_eq(file_at(lowest), file_at(others[0]));
}

Test(descriptor, stays_where_no_high_number_is_allowed)
{
	const struct rlimit few = {CPS_DESCRIPTOR_LEAST, CPS_DESCRIPTOR_LEAST};
	int fd;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	fd = cps_descriptor_open("/proc/self/exe", O_RDONLY, 0);
	cr_assert_geq(fd, 0);
	cr_assert_lt(fd, CPS_DESCRIPTOR_LEAST);
	cr_assert_neq(file_at(fd), 0);
}

Test(descriptor, that_is_high_stays)
{
	int fd = fcntl(others[0], F_DUPFD, CPS_DESCRIPTOR_LEAST + 5);

	cr_assert_eq(cps_descriptor_move(fd, is_same_inode), fd);
	cr_assert_eq(cps_descriptor_move(-ENOENT, is_same_inode), -ENOENT);
}
