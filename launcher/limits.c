/* SPDX-License-Identifier: MIT */
/*
 * limits.c - bounds what the launcher uses, by the kernel's limits of a process.
 */
#include "launcher/limits.h"

#include <stdint.h>
#include <sys/resource.h>

#define MEMORY_MAX  (UINT64_C(16) << 30)
#define SECONDS_MAX 300

/* No more than was allowed before. */
static void lower(int what, rlim_t most)
{
	struct rlimit r;

	if (getrlimit(what, &r) != 0 || r.rlim_cur <= most)
		return;
	r.rlim_cur = most;
	setrlimit(what, &r);
}

void limits_set(void)
{
	lower(RLIMIT_AS, MEMORY_MAX);
	lower(RLIMIT_CPU, SECONDS_MAX);
	lower(RLIMIT_CORE, 0);
}

void limits_lift_time(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_CPU, &r) != 0)
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_CPU, &r);
}
