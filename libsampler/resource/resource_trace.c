/* SPDX-License-Identifier: MIT */
/*
 * resource_trace.c - tracepoints of the kernel, of which one counts system calls.
 *
 * In: nothing. Out: lines of the table; overflow.c counts.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "base/sys.h"
#include "resource/overflow.h"
#include "resource/resource.h"
#include "resource/trace.h"
#include "base/poison.h"

#define PREFIX	 "tp:"
#define SYSCALLS "raw_syscalls:sys_exit"

static int read_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	if (end - text >= CPS_RESOURCE_NAME_BYTES ||
	    !cps_trace_is_event(text + strlen(PREFIX), end))
		return -1;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	return 0;
}

static int find_event(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	return cps_trace_find(cps_trace_roots, name + strlen(PREFIX), kind, why, bytes);
}

static int find_syscalls(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	(void)name;
	return cps_trace_find(cps_trace_roots, SYSCALLS, kind, why, bytes);
}

/* Whether there may be such events that happen in the kernel. */
static int probe_any(bool is_at_exit, char *why, size_t bytes)
{
	struct cps_overflow_kind kind = {.type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_DUMMY,
					 .needs_kernel = true,
					 .is_at_exit = is_at_exit};

	return cps_overflow_probe(&kind, why, bytes);
}

static int probe_some(char *why, size_t bytes)
{
	return probe_any(false, why, bytes);
}

static void make_a_call(void)
{
	cps_sys_getpid();
}

static int probe_event(const char *name, char *why, size_t bytes)
{
	struct cps_overflow_kind kind;
	int error;

	find_event(name, &kind, why, bytes);
	error = probe_any(kind.is_at_exit, why, bytes);
	if (!error)
		error = find_event(name, &kind, why, bytes);
	return error ? error : cps_overflow_probe(&kind, why, bytes);
}

static int probe_syscalls(char *why, size_t bytes)
{
	struct cps_overflow_kind kind;
	int error = probe_any(true, why, bytes);

	if (!error)
		error = find_syscalls(NULL, &kind, why, bytes);
	if (error)
		return error;
	kind.happen = make_a_call;
	return cps_overflow_probe(&kind, why, bytes);
}

#define TRACES(a_name, a_unit, an_about)                                                           \
	.name = a_name, .unit = a_unit, .engine = "perf", .about = an_about,                       \
	.kind = CPS_RESOURCE_EVENTS, .interval = 1000, .start = cps_overflow_start,                \
	.stop = cps_overflow_stop, .pause = cps_overflow_pause, .resume = cps_overflow_resume,     \
	.arm = cps_overflow_arm, .disarm = cps_overflow_disarm, .counted = cps_overflow_counted

const struct cps_resource cps_resource_syscalls = {
	TRACES("syscalls", "calls", "system calls"),
	.probe = probe_syscalls,
	.find_overflow = find_syscalls,
};

const struct cps_resource cps_resource_trace = {
	TRACES(PREFIX "SYSTEM:NAME", "events", "a tracepoint of the kernel"),
	.ticks_in_calls = true,
	.probe = probe_some,
	.read_name = read_name,
	.probe_name = probe_event,
	.find_overflow = find_event,
};
