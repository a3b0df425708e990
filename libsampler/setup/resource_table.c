/* SPDX-License-Identifier: MIT */
/*
 * resource_table.c - the resources that are no clocks: what each is called, counts and does.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "resource/alloc.h"
#include "resource/calls.h"
#include "resource/lock.h"
#include "resource/off_cpu.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/switches.h"
#include "setup/kernel_events.h"
#include "base/poison.h"

/* ---- memory ---------------------------------------------------------------------------------- */
/* Memory that is allocated, in bytes and in calls. */

static const char *remark;

void cps_alloc_remark(const char *line)
{
	remark = line;
}

static int probe_alloc(char *why, size_t bytes)
{
	if (remark)
		cps_error_text_join(why, bytes, remark, NULL);
	return 0;
}

/* What is counted of allocations begins and ends together. */
static int start_alloc(uint64_t interval)
{
	(void)interval;
	atomic_store(&cps_alloc_is_on, true);
	return 0;
}

static void stop_alloc(void)
{
	atomic_store(&cps_alloc_is_on, false);
}

static int start_live(uint64_t interval)
{
	(void)interval;
	return cps_live_begin();
}

const struct cps_resource cps_resource_alloc = {
	.name = "alloc",
	.unit = "bytes",
	.engine = "malloc",
	.about = "memory that is allocated",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512u << 10,
	.probe = probe_alloc,
	.start = start_alloc,
	.stop = stop_alloc,
};

const struct cps_resource cps_resource_allocs = {
	.name = "allocs",
	.unit = "calls",
	.engine = "malloc",
	.about = "calls that allocate memory",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.probe = probe_alloc,
	.start = start_alloc,
	.stop = stop_alloc,
};

const struct cps_resource cps_resource_alloc_live = {
	.name = "alloc-live",
	.unit = "bytes",
	.engine = "malloc",
	.about = "memory allocated and not freed",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512u << 10,
	.counted_by = &cps_resource_alloc,
	.probe = probe_alloc,
	.start = start_live,
	.stop = cps_live_end,
};

/* ---- bytes read and written ------------------------------------------------------------------ */
/* The bytes that the program reads, and those that it writes. */

const struct cps_resource cps_resource_bytes_read = {
	.name = "read",
	.unit = "bytes",
	.engine = "wrappers",
	.about = "bytes read, also by stdio",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512 << 10,
};

const struct cps_resource cps_resource_bytes_write = {
	.name = "write",
	.unit = "bytes",
	.engine = "wrappers",
	.about = "bytes written, also by stdio",
	.kind = CPS_RESOURCE_BYTES,
	.interval = 512 << 10,
};

/* ---- calls of functions ---------------------------------------------------------------------- */
/* The calls of a function that the user names. */

#define PREFIX "calls:"

/* What names of functions are made of, in C, C++ and other languages, UTF-8 included. */
static bool is_part(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c >= 0x80;
}

static int read_symbol(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	const char *symbol = text + strlen(PREFIX);

	if (symbol >= end || (*symbol >= '0' && *symbol <= '9') ||
	    end - text >= CPS_RESOURCE_NAME_BYTES)
		return -1;
	for (const char *p = symbol; p < end; p++)
		if (!is_part((unsigned char)*p))
			return -1;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	return 0;
}

static int probe_calls(char *why, size_t bytes)
{
	if (CPS_ENTRY_HAS_THUNKS)
		return 0;
	cps_error_text_join(why, bytes, "calls are not counted on " CPS_MACHINE, NULL);
	return -1;
}

const struct cps_resource cps_resource_calls = {
	.name = PREFIX "SYMBOL",
	.unit = "calls",
	.engine = "linkage",
	.about = "calls of a library's function",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.any_is_worth = true,
	.read_name = read_symbol,
	.probe = probe_calls,
	.start = cps_calls_start,
	.unattached = "threads that there are cannot count calls before their first tick",
};

/* ---- counters of the program ----------------------------------------------------------------- */
/* What the program counts itself, by cpsample_count of cpsample.h. */

const struct cps_resource cps_resource_count = {
	.name = "count",
	.unit = "count",
	.engine = "cpsample.h",
	.about = "counted by cpsample_count()",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1000,
	.any_is_worth = true,
	.unattached = "the program has looked for cpsample_count when it began",
};

/* ---- locks ----------------------------------------------------------------------------------- */
/*
 * The time that threads wait for locks and events, of those who wait and of those who let them.
 */

static const char *const lock_states[] = {"mutex", "rwlock", "condition", "semaphore",
					  "futex", "file",   NULL};
static const char *const blame_states[] = {"mutex",	"rwlock", "condition",
					   "semaphore", "futex",  NULL};

_Static_assert(sizeof(lock_states) / sizeof(lock_states[0]) == CPS_LOCK_STATES + 1,
	       "lock.h has them");

static int start_lock(uint64_t interval)
{
	(void)interval;
	return cps_lock_start();
}

const struct cps_resource cps_resource_lock = {
	.name = "lock",
	.unit = "ns",
	.engine = "calls",
	.about = "waiting for locks and conditions",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = lock_states,
	.with = &cps_resource_lock_blame,
	.start = start_lock,
	.stop = cps_lock_stop,
	.disarm = cps_lock_disarm,
	.take_counted = cps_lock_take_counted,
	.credit_rest = cps_lock_credit_rest,
};

const struct cps_resource cps_resource_lock_blame = {
	.name = "lock-blame",
	.unit = "ns",
	.engine = "calls",
	.about = "with lock: who lets others wait",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = blame_states,
	.with = &cps_resource_lock,
};

/* ---- what needs a clock that measures time --------------------------------------------------- */

static int probe_clock(char *why, size_t bytes)
{
	const struct cps_meter *m = cps_sample_meter();

	if (!m || m->read)
		return 0;
	cps_error_text_join(why, bytes, "not together with a resource that is not measured in time",
			    NULL);
	return -ENOTSUP;
}

/* ---- real time ------------------------------------------------------------------------------- */
/* The time of all threads, whether they run or not. */

static const char *const real_states[] = {"stalled", "ready", "io", "lock", "wait", NULL};

_Static_assert(sizeof(real_states) / sizeof(real_states[0]) == CPS_OFF_CPU_STATES + 1,
	       "off_cpu.h has them");

static int start_real(uint64_t interval)
{
	(void)interval;
	return cps_off_cpu_start(CPS_RESOURCE_OF_real);
}

const struct cps_resource cps_resource_real = {
	.name = "real",
	.unit = "ns",
	.engine = "calls",
	.about = "time of threads, also waiting",
	.kind = CPS_RESOURCE_TIME,
	.interval = 1000000,
	.states = real_states,
	.joins_clock = true,
	.probe = probe_clock,
	.start = start_real,
	.stop = cps_off_cpu_stop,
	.arm = cps_off_cpu_arm,
	.disarm = cps_off_cpu_disarm,
	.take_counted = cps_off_cpu_take_counted,
	.credit_rest = cps_off_cpu_credit_rest,
	.is_worth = cps_off_cpu_is_worth,
};

/* ---- switches -------------------------------------------------------------------------------- */
/* How often threads are put off a processor, and on another one. */

static const char *const switches_states[] = {"blocked", "preempted", NULL};

_Static_assert(sizeof(switches_states) / sizeof(switches_states[0]) == CPS_SWITCHES_STATES + 1,
	       "switches.h has them");

static int probe_records(char *why, size_t bytes)
{
	const char *what;
	int error = cps_switch_records_try(&what);

	return error ? cps_kernel_events_explain(error, what, 2, why, bytes) : 0;
}

static int probe_switches(char *why, size_t bytes)
{
	char missing[160];

	if (probe_records(missing, sizeof(missing)) != 0)
		cps_error_text_join(why, bytes, "asked after waits and at ticks: ", missing, NULL);
	return 0;
}

const struct cps_resource cps_resource_switches = {
	.name = "switches",
	.unit = "switches",
	.engine = "calls",
	.about = "waits and preemptions of threads",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 10,
	.states = switches_states,
	.probe = probe_switches,
	.start = cps_switches_start,
	.stop = cps_switches_stop,
	.pause = cps_switches_pause,
	.resume = cps_switches_resume,
	.arm = cps_switches_arm,
	.disarm = cps_switches_disarm,
	.counted = cps_switches_counted,
	.credit_rest = cps_switches_credit_rest,
};

const struct cps_resource cps_resource_migrations = {
	.name = "migrations",
	.unit = "migrations",
	.engine = "perf",
	.about = "moves to another processor",
	.kind = CPS_RESOURCE_EVENTS,
	.interval = 1,
	.probe = probe_records,
	.start = cps_switches_start,
	.stop = cps_switches_stop,
	.pause = cps_switches_pause,
	.resume = cps_switches_resume,
	.arm = cps_switches_arm,
	.disarm = cps_switches_disarm,
	.credit_rest = cps_switches_credit_rest,
};

/* ---- CPU time in the program and in the kernel ----------------------------------------------- */
/* The two parts of CPU time: in the program's own code, and in the kernel for it. */

#define PART(a_name, an_about, a_part, the_other)                                                  \
	{                                                                                          \
		.name = a_name, .unit = "ns", .engine = "clock", .about = an_about,                \
		.kind = CPS_RESOURCE_TIME, .part = a_part, .with = &the_other,                     \
		.probe = probe_clock,                                                              \
	}

const struct cps_resource cps_resource_user = PART("user", "CPU time outside of the kernel",
						   CPS_RESOURCE_IN_PROGRAM, cps_resource_system);
const struct cps_resource cps_resource_system =
	PART("system", "CPU time in the kernel", CPS_RESOURCE_IN_KERNEL, cps_resource_user);

/* ---- all of them ----------------------------------------------------------------------------- */

#define ENTRY(name) &cps_resource_##name,

const struct cps_resource *const cps_resource_table[] = {CPS_RESOURCES(ENTRY) NULL};
