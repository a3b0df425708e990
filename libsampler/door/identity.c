/* SPDX-License-Identifier: MIT */
/*
 * identity.c - reads what the kernel knows of this process.
 *
 * In: /proc/self, clocks. Out: struct cps_identity. The memory is the recorder's own, so that the
 * target's allocator is not disturbed.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/descriptor.h"
#include "base/sys.h"
#include "door/identity.h"
#include "format.h"

#define ARGS_BYTES (64u << 10) /* of the command line; the rest is cut off */

static const char *read_exe(void)
{
	char path[4096];
	long n = CPS_SYS(readlink, "/proc/self/exe", path, sizeof(path), 0);
	const char *said = (const char *)getauxval(AT_EXECFN);

	if (n > 0)
		return cps_arena_copy(path, (size_t)n);
	return said ? cps_arena_copy(said, strlen(said)) : "";
}

static const char *read_cwd(void)
{
	char path[4096];
	long n = CPS_SYS(getcwd, path, sizeof(path), 0, 0);

	/* A directory that was removed or is out of reach has no absolute name. */
	return n > 1 && path[0] == '/' ? cps_arena_copy(path, (size_t)n - 1) : NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The paths of "/dev/fd/3" are the kernel's, for programs that are executed by a descriptor. */
static bool is_link(const char *path, const char *exe)
{
	struct stat a, b;

	return strcmp(last_part(path), last_part(exe)) != 0 && *last_part(path) &&
	       strncmp(path, "/dev/fd/", 8) != 0 &&
	       CPS_SYS(newfstatat, AT_FDCWD, path, &a, 0) == 0 &&
	       CPS_SYS(newfstatat, AT_FDCWD, "/proc/self/exe", &b, 0) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The kernel knows by which path the program was executed. If that is a link with another name, such as
 * redis-server to redis-check-rdb, it is what people call the program. The interpreter of a script
 * is not the file at that path. */
static const char *read_started_as(const char *exe, const char *cwd)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	char absolute[4096];
	size_t n, m;

	if (!path || !is_link(path, exe))
		return NULL;
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	m = strlen(path);
	if (path[0] == '/')
		return cps_arena_copy(path, m);
	n = cwd ? strlen(cwd) : 0;
	if (n + 1 + m > sizeof(absolute))
		return NULL;
	memcpy(absolute, cwd ? cwd : "", n);
	absolute[n] = '/';
	memcpy(absolute + n + 1, path, m);
	return cwd ? cps_arena_copy(absolute, n + 1 + m) : cps_arena_copy(path, m);
}

static void read_args(struct cps_identity *identity)
{
	char *bytes = cps_arena_pages(ARGS_BYTES);
	int fd = cps_descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
	size_t used = 0, i = 0;
	long n;

	identity->n_args = 0;
	if (fd < 0)
		return;
	while (bytes && used < ARGS_BYTES - 1 &&
	       (n = cps_sys_read(fd, bytes + used, ARGS_BYTES - 1 - used)) > 0)
		used += (size_t)n;
	cps_sys_close(fd);
	for (size_t k = 0; k < used; k += strlen(bytes + k) + 1)
		i++;
	identity->args = cps_arena_take(i * sizeof(char *));
	if (!identity->args)
		return;
	for (size_t k = 0; k < used; k += strlen(bytes + k) + 1)
		identity->args[identity->n_args++] = bytes + k;
}

void cps_identity_start(struct cps_identity *identity)
{
	identity->start_ns = cps_sys_clock_ns(CLOCK_REALTIME);
	identity->start_monotonic_ns = cps_sys_clock_ns(CLOCK_MONOTONIC);
	identity->cpu_before_ns = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	identity->children_before_ns = cps_sys_children_ns(0);
}

void cps_identity_read(struct cps_identity *identity)
{
	const uint64_t *random = (const void *)getauxval(AT_RANDOM);

	cps_identity_start(identity);
	identity->ppid = (uint64_t)CPS_SYS(getppid, 0, 0, 0, 0);
	identity->exe = read_exe();
	identity->cwd = read_cwd();
	identity->started_as = read_started_as(identity->exe, identity->cwd);
	identity->journal_id = (random ? *random : 0) ^ identity->start_ns;
	read_args(identity);
}
