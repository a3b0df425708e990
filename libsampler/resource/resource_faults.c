/* SPDX-License-Identifier: MIT */
/*
 * resource_faults.c - page faults, which the kernel counts.
 *
 * In: nothing. Out: lines of the table; overflow.c counts.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "resource/overflow.h"
#include "resource/resource.h"
#include "base/poison.h"

#define PAGE  4096u
#define PAGES 8u

/* Not of the stack, whose pages may be there. */
static void touch_pages(void)
{
	volatile uint8_t *bytes =
		cps_sys_mmap(PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (!bytes)
		return;
	for (uint32_t i = 0; i < PAGES; i++)
		bytes[i * PAGE] = 1;
	cps_sys_munmap((void *)(uintptr_t)bytes, PAGES * PAGE);
}

static struct cps_overflow_kind minor = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
	.is_minor = true,
	.happen = touch_pages,
};

/* No page is known to be on disk only, so minor faults are tried in its place. */
static struct cps_overflow_kind major = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	.is_major = true,
};

/*
 * Both, each by an event of its own. PERF_COUNT_SW_PAGE_FAULTS counts faults when they begin: one that waits for
 * the disk is given up when a signal comes, such as this event's, and begins and counts once more after that.
 */
static struct cps_overflow_kind any = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
	.is_minor = true,
	.also = &major,
	.happen = touch_pages,
};

static int probe_minor(char *why, size_t bytes)
{
	return cps_overflow_probe(&minor, why, bytes);
}

static int probe_major(char *why, size_t bytes)
{
	int error = cps_overflow_probe(&minor, why, bytes);

	return error ? error : cps_overflow_probe(&major, why, bytes);
}

static int probe_any(char *why, size_t bytes)
{
	int error = probe_major(why, bytes);

	any.without_kernel = minor.without_kernel;
	return error;
}

#define FAULTS(a_name, a_kind, an_about)                                                           \
	{                                                                                          \
		.name = a_name, .unit = "faults", .engine = "perf", .about = an_about,             \
		.kind = CPS_RESOURCE_EVENTS, .interval = 10, .probe = probe_##a_kind,              \
		.overflow = &a_kind, .start = cps_overflow_start, .stop = cps_overflow_stop,       \
		.pause = cps_overflow_pause, .resume = cps_overflow_resume,                        \
		.arm = cps_overflow_arm, .disarm = cps_overflow_disarm,                            \
		.counted = cps_overflow_counted, .ticks_in_calls = true,                           \
	}

const struct cps_resource cps_resource_faults = FAULTS("faults", any, "page faults");
const struct cps_resource cps_resource_minor_faults =
	FAULTS("minor-faults", minor, "page faults without the disk");
const struct cps_resource cps_resource_major_faults =
	FAULTS("major-faults", major, "page faults that read from disk");
