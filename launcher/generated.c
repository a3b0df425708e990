/* SPDX-License-Identifier: MIT */
/*
 * generated.c - names the code that a process has generated.
 *
 * In: /tmp/perf-PID.map, which its runtime writes. Out: names by address.
 */
#include "launcher/generated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "launcher/proc.h"

#define SECOND	    UINT64_C(1000000000)
#define PIECE_BYTES (64u << 10)
#define BEHIND_NAME 20 /* fields of /proc/PID/stat up to when it was made */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* When the process was made, or a tick before, since times of files are behind by as much; 0: that is not told. */
static uint64_t made_ns(int pid)
{
	uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK), ticks, up = now_ns(CLOCK_BOOTTIME);
	char text[1024];
	const char *at = proc_stat(pid, pid, text, sizeof(text));

	for (int i = 1; at && i < BEHIND_NAME; i++)
		at = strchr(at + 1, ' ');
	ticks = at ? strtoull(at, NULL, 10) : 0;
	return ticks ? now_ns(CLOCK_REALTIME) - up + (ticks - 1) * (SECOND / per_second) : 0;
}

static bool read_all(struct perf_map *m, int fd)
{
	char *piece = malloc(PIECE_BYTES);
	uint64_t all = 0;
	ssize_t n = 0;
	bool is_well = piece != NULL;

	while (is_well && all < PERF_MAP_BYTES_MAX && (n = read(fd, piece, PIECE_BYTES)) > 0) {
		all += (uint64_t)n;
		is_well = perf_map_add(m, piece, (size_t)n) == 0;
	}
	free(piece);
	return is_well && n >= 0 && perf_map_finish(m) == 0;
}

struct perf_map *generated_open(const struct target *t)
{
	struct utsname here;
	struct perf_map_process p = {
		.pid = (uint64_t)t->pid,
		.start_ns = made_ns(t->pid),
		.owner = (uint64_t)proc_status_number(t->pid, t->pid, "Uid", 10)};
	struct perf_map *m;
	int fd;

	if (target_has_other_root(t) || uname(&here) != 0)
		return NULL;
	p.host = (struct event_text){here.nodename, strlen(here.nodename)};
	fd = perf_map_file_open(&p);
	m = fd >= 0 ? perf_map_new() : NULL;
	if (m && !read_all(m, fd)) {
		perf_map_free(m);
		m = NULL;
	}
	if (fd >= 0)
		close(fd);
	return m;
}
