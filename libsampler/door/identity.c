/* SPDX-License-Identifier: MIT */
/*
 * identity.c - reads what the kernel knows of this process.
 *
 * In: /proc/self, clocks. Out: struct cps_identity. The memory is the recorder's own, so that the
 * target's allocator is not disturbed.
 */
#include <string.h>
#include <sys/auxv.h>

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

void cps_identity_read(struct cps_identity *identity)
{
	const uint64_t *random = (const void *)getauxval(AT_RANDOM);

	identity->start_ns = cps_sys_clock_ns(CLOCK_REALTIME);
	identity->start_monotonic_ns = cps_sys_clock_ns(CLOCK_MONOTONIC);
	identity->ppid = (uint64_t)CPS_SYS(getppid, 0, 0, 0, 0);
	identity->cpu_before_ns = cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	identity->exe = read_exe();
	identity->cwd = read_cwd();
	identity->journal_id = (random ? *random : 0) ^ identity->start_ns;
	read_args(identity);
}
