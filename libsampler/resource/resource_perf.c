/* SPDX-License-Identifier: MIT */
/*
 * resource_perf.c - events of the kernel's perf subsystem that the user names.
 *
 * In: perf:CONFIG, perf:TYPE:CONFIG, PMU/EVENT/. Out: lines of the table; overflow.c counts.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "resource/overflow.h"
#include "resource/pmu.h"
#include "resource/resource.h"
#include "base/poison.h"

#define PREFIX "perf:"

/* Up to `most` digits. Returns what follows, or NULL. */
static const char *read_digits(const char *p, const char *end, unsigned base, size_t most,
			       uint64_t *value)
{
	const char *first = p;

	for (*value = 0; p < end; p++) {
		char c = *p >= 'A' && *p <= 'F' ? (char)(*p | 32) : *p;

		if (c >= '0' && c <= '9')
			*value = *value * base + (uint64_t)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			*value = *value * base + (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	return p > first && (size_t)(p - first) <= most ? p : NULL;
}

/* Reads 0xCONFIG or TYPE:0xCONFIG. A number without 0x is an interval or a type. */
static bool read_perf(const char *text, const char *end, struct cps_overflow_kind *kind)
{
	uint64_t type = PERF_TYPE_RAW;
	const char *p = text + strlen(PREFIX);

	*kind = (struct cps_overflow_kind){.type = 0};
	if (p >= end)
		return false;
	if (end - p < 3 || p[0] != '0' || p[1] != 'x') {
		p = read_digits(p, end, 10, 9, &type);
		if (!p || end - p < 4 || *p++ != ':')
			return false;
	}
	kind->type = (uint32_t)type;
	return p[0] == '0' && p[1] == 'x' && read_digits(p + 2, end, 16, 16, &kind->config) == end;
}

static int copy_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	if (end - text >= CPS_RESOURCE_NAME_BYTES)
		return -1;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	return 0;
}

static int read_perf_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	struct cps_overflow_kind kind;

	return read_perf(text, end, &kind) ? copy_name(text, end, name) : -1;
}

static int read_pmu_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	return cps_pmu_is_event(text, end) ? copy_name(text, end, name) : -1;
}

/* These happen in the kernel. */
static void set_needs(struct cps_overflow_kind *kind)
{
	bool is_switch = kind->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
			 kind->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
			 kind->config == PERF_COUNT_SW_CGROUP_SWITCHES;

	kind->needs_kernel = kind->type == PERF_TYPE_TRACEPOINT ||
			     (kind->type == PERF_TYPE_SOFTWARE && is_switch);
}

static int find_perf(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	(void)why;
	(void)bytes;
	read_perf(name, name + strlen(name), kind);
	set_needs(kind);
	return 0;
}

static int find_pmu(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	int error = cps_pmu_find(CPS_PMU_ROOT, name, kind, why, bytes);

	set_needs(kind);
	return error;
}

static int probe_perf(const char *name, char *why, size_t bytes)
{
	struct cps_overflow_kind kind;

	find_perf(name, &kind, why, bytes);
	return cps_overflow_probe(&kind, why, bytes);
}

static int probe_pmu(const char *name, char *why, size_t bytes)
{
	struct cps_overflow_kind kind;
	int error = find_pmu(name, &kind, why, bytes);

	return error ? error : cps_overflow_probe(&kind, why, bytes);
}

/* Whether there may be events at all. */
static int probe_any(char *why, size_t bytes)
{
	struct cps_overflow_kind kind = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	int error = cps_overflow_probe(&kind, why, bytes);

	if (!error && bytes)
		*why = '\0';
	return error;
}

#define EVENTS(a_name, an_about, id)                                                               \
	{                                                                                          \
		.name = a_name, .unit = "events", .engine = "perf", .about = an_about,             \
		.kind = CPS_RESOURCE_EVENTS, .interval = 100000, .probe = probe_any,               \
		.read_name = read_##id##_name, .probe_name = probe_##id,                           \
		.find_overflow = find_##id, .start = cps_overflow_start,                           \
		.stop = cps_overflow_stop, .pause = cps_overflow_pause,                            \
		.resume = cps_overflow_resume, .arm = cps_overflow_arm,                            \
		.disarm = cps_overflow_disarm, .counted = cps_overflow_counted,                    \
		.ticks_in_calls = true,                                                            \
	}

const struct cps_resource cps_resource_perf =
	EVENTS(PREFIX "CONFIG", "an event; also perf:TYPE:CONFIG", perf);
const struct cps_resource cps_resource_pmu =
	EVENTS("PMU/EVENT/", "an event by its name below /sys", pmu);
