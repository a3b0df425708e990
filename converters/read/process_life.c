/* SPDX-License-Identifier: MIT */
/*
 * process_life.c - looks for the process that writes a recording.
 *
 * In: what the recording says of it, its journal. Out: whether it is there.
 */
#include "read/process_life.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
/* The clock may have been set between, and ticks are coarse. */
#define SLACK_NS (2 * SECOND)

static uint64_t clock_now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Field 22 of /proc/PID/stat in nanoseconds after boot; 0: there is no such process. Field 2 is a
 * name in parentheses, which may contain anything. */
static uint64_t started_after_boot(uint64_t pid)
{
	char path[64], text[1024], *p;
	unsigned long long ticks = 0;
	long per_second = sysconf(_SC_CLK_TCK);
	char state = 'Z';
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/stat", (unsigned long long)pid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || per_second <= 0 ||
	    sscanf(p + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %llu",
		   &state, &ticks) != 2 ||
	    state == 'Z' || state == 'X')
		return 0;
	return ticks * (SECOND / (uint64_t)per_second);
}

static bool is_this_host(struct event_text host)
{
	struct utsname here;

	return uname(&here) == 0 && strlen(here.nodename) == host.length && host.length &&
	       !memcmp(here.nodename, host.bytes, host.length);
}

bool process_life_goes_on(uint64_t pid, uint64_t start_ns, struct event_text host)
{
	uint64_t started = pid && is_this_host(host) ? started_after_boot(pid) : 0;
	uint64_t boot = clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME);

	return started && boot + started <= start_ns + SLACK_NS;
}

/* The kernel grants a lease for reading only if nobody writes. On an overlay it does not see
 * mappings, which are those of the file below. If the lease is broken in this moment, a signal is
 * sent that is ignored by default. */
enum process_life_use process_life_use_of(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) || fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	    fcntl(fd, F_SETSIG, SIGURG) != 0)
		return PROCESS_LIFE_NOT_KNOWN;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN ? PROCESS_LIFE_IN_USE : PROCESS_LIFE_NOT_KNOWN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return PROCESS_LIFE_AT_REST;
}
