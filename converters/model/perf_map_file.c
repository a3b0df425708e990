/* SPDX-License-Identifier: MIT */
/*
 * perf_map_file.c - opens the perf map that a process has left in /tmp.
 *
 * In: what a recording says of its process. Out: an open file.
 */
#include "model/perf_map_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Can the file be trusted? It must belong to the owner of the recording or to us, and must not be
 * older than the process: an earlier process may have had the same id. */
static bool is_trusted(const struct perf_map_process *p, const struct stat *st)
{
	uint64_t seconds = (uint64_t)st->st_mtim.tv_sec, start = p->start_ns;

	if (!S_ISREG(st->st_mode) || (st->st_uid != p->owner && st->st_uid != geteuid()))
		return false;
	if (st->st_mtim.tv_sec < 0 || seconds < start / 1000000000)
		return false;
	return seconds > start / 1000000000 || (uint64_t)st->st_mtim.tv_nsec >= start % 1000000000;
}

static bool is_this_host(struct event_text host)
{
	struct utsname name;

	return host.length && !uname(&name) && strlen(name.nodename) == host.length &&
	       !memcmp(name.nodename, host.bytes, host.length);
}

int perf_map_file_open(const struct perf_map_process *p)
{
	struct stat st;
	char path[64];
	int fd;

	if (!p->pid || !p->start_ns || !is_this_host(p->host))
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%llu.map", (unsigned long long)p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !is_trusted(p, &st))) {
		close(fd);
		return -1;
	}
	return fd;
}
