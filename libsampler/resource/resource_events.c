/* SPDX-License-Identifier: MIT */
/*
 * resource_events.c - what processors do, which the kernel counts.
 *
 * In: nothing. Out: lines of the table; overflow.c counts.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "resource/overflow.h"
#include "resource/resource.h"
#include "base/poison.h"

#define TURNS 200000u
#define TABLE (1u << 14) /* words: in memory only while something is tried, not in every program */

/* Cycles, instructions and missed branches there are; of caches whatever the machine calls a miss. */
static void compute(void)
{
	volatile uint32_t *table = cps_sys_mmap(TABLE * sizeof(*table), PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1);
	uint32_t x = 1;

	if (!table)
		return;
	for (uint32_t i = 0; i < TURNS; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if (x & 64)
			table[x % TABLE]++;
	}
	cps_sys_munmap((void *)(uintptr_t)table, TABLE * sizeof(*table));
}

#define HARDWARE(id, number)                                                                       \
	static struct cps_overflow_kind id = {                                                     \
		.type = PERF_TYPE_HARDWARE, .config = number, .happen = compute};                  \
	static int probe_##id(char *why, size_t bytes)                                             \
	{                                                                                          \
		return cps_overflow_probe(&id, why, bytes);                                        \
	}

HARDWARE(cycles, PERF_COUNT_HW_CPU_CYCLES)
HARDWARE(instructions, PERF_COUNT_HW_INSTRUCTIONS)
HARDWARE(cache_misses, PERF_COUNT_HW_CACHE_MISSES)
HARDWARE(branch_misses, PERF_COUNT_HW_BRANCH_MISSES)

#define EVENTS(a_name, id, a_unit, an_interval, an_about)                                          \
	const struct cps_resource cps_resource_##id = {                                            \
		.name = a_name,                                                                    \
		.unit = a_unit,                                                                    \
		.engine = "perf",                                                                  \
		.about = an_about,                                                                 \
		.kind = CPS_RESOURCE_EVENTS,                                                       \
		.interval = an_interval,                                                           \
		.probe = probe_##id,                                                               \
		.overflow = &id,                                                                   \
		.start = cps_overflow_start,                                                       \
		.stop = cps_overflow_stop,                                                         \
		.pause = cps_overflow_pause,                                                       \
		.resume = cps_overflow_resume,                                                     \
		.arm = cps_overflow_arm,                                                           \
		.disarm = cps_overflow_disarm,                                                     \
		.counted = cps_overflow_counted,                                                   \
		.ticks_in_calls = true,                                                            \
	}

EVENTS("cycles", cycles, "cycles", 2000000, "cycles of the processor");
EVENTS("instructions", instructions, "instructions", 2000000, "instructions that were executed");
EVENTS("cache-misses", cache_misses, "misses", 10000, "misses of the last cache");
EVENTS("branch-misses", branch_misses, "misses", 10000, "branches foretold wrongly");
