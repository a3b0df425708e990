/* SPDX-License-Identifier: MIT */
/*
 * kernel_events.c - the resources that the kernel counts, and whether it lets us count them.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "base/text.h"
#include "clock/perf.h"
#include "resource/overflow.h"
#include "resource/resource.h"
#include "setup/event_names.h"
#include "setup/kernel_events.h"
#include "base/poison.h"

/* ---- what forbids them ----------------------------------------------------------------------- */

/* The kernel's setting perf_event_paranoid; -1: not known. */
static int cps_kernel_events_paranoia(void)
{
	int fd = cps_descriptor_open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY, 0), n;
	char text[16] = "";

	if (fd < 0)
		return -1;
	n = (int)cps_sys_read(fd, text, sizeof(text) - 1);
	cps_sys_close(fd);
	return n > 0 && text[0] >= '0' && text[0] <= '9' ? text[0] - '0' : -1;
}

int cps_kernel_events_explain(int error, const char *what, int enough, char *why, size_t bytes)
{
	int level = error == -EACCES ? cps_kernel_events_paranoia() : -1;
	const char *more = "";
	char is[24], would[24];
	size_t n = cps_error_text_join(why, bytes, what, ": ", cps_error_text(-error), NULL);

	if (level > enough)
		cps_error_text_join(why + n, bytes - n, " (kernel.perf_event_paranoid is ",
				    cps_digits(is + sizeof(is), (uint64_t)level),
				    "; sysctl kernel.perf_event_paranoid=",
				    cps_digits(would + sizeof(would), (uint64_t)enough),
				    " or CAP_PERFMON would allow it)", NULL);
	else if (error == -EPERM)
		more = " (by a seccomp filter; in containers --cap-add=PERFMON would allow it)";
	else if (error == -ENOSYS)
		more = " (a seccomp filter that must allow it, or a kernel without "
		       "CONFIG_PERF_EVENTS)";
	else if (error == -ENOENT || error == -EOPNOTSUPP)
		more = " (this machine has no such counter)";
	else if (error == -ENODATA)
		more = " (it counts nothing here)";
	if (*more)
		cps_error_text_join(why + n, bytes - n, more, NULL);
	return error;
}

static int attempt(int fd, void (*happen)(void), uint64_t *count, const char **what)
{
	int error = cps_perf_address(fd, cps_sys_gettid());
	void *page;

	*what = "fcntl of a perf event";
	if (error)
		return error;
	error = cps_perf_map(fd, &page);
	*what = "mmap of a perf event";
	if (error)
		return error;
	cps_perf_end(page);
	error = (int)CPS_SYS(ioctl, fd, PERF_EVENT_IOC_ENABLE, 0, 0);
	*what = "a perf event that is enabled";
	if (error)
		return error;
	if (happen)
		happen();
	return cps_sys_read(fd, count, sizeof(*count)) == sizeof(*count) ? 0 : -ENODATA;
}

int cps_kernel_events_try(int fd, void (*happen)(void), uint64_t *count, const char **what)
{
	int error = attempt(fd, happen, count, what);

	cps_sys_close(fd);
	return error;
}

/* ---- whether they count ---------------------------------------------------------------------- */
/* Finds out whether the kernel lets events of a thread be counted. */

/* Whether an event that cannot be had can be had without signals. */
static bool is_mute(int error, struct cps_perf_event event, const struct cps_thread *self)
{
	int fd = error;

	event.period = 0;
	if (error == -EINVAL || error == -EOPNOTSUPP)
		fd = cps_perf_open(&event, self);
	if (fd < 0)
		return false;
	cps_sys_close(fd);
	return true;
}

int cps_kernel_events_probe(struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	struct cps_perf_event event = cps_overflow_event(kind, UINT64_C(1) << 40);
	const struct cps_thread self = {.tid = 0};
	int enough = kind->needs_kernel ? 1 : 2, paranoia, error, fd;
	const char *what = "perf_event_open";
	uint64_t count = 0;
	char digits[24];

	if (kind->needs_kernel && !kind->is_at_exit && !cps_perf_may_strike_in_kernel()) {
		cps_error_text_join(why, bytes, "its signal " CPS_PERF_RISK, NULL);
		return -EPERM;
	}
	event.without_kernel = !kind->needs_kernel && !cps_perf_may_strike_in_kernel();
	fd = cps_perf_open(&event, &self);
	if (fd < 0 && is_mute(fd, event, &self)) {
		cps_error_text_join(why, bytes, "it can only be read, and gives no signals", NULL);
		return -ENOTSUP;
	}
	if (fd == -EACCES && !kind->needs_kernel && !event.without_kernel) {
		event.without_kernel = true;
		fd = cps_perf_open(&event, &self);
	}
	if (fd < 0)
		return cps_kernel_events_explain(fd, what, enough, why, bytes);
	error = cps_kernel_events_try(fd, kind->happen, &count, &what);
	if (!error && kind->happen && !count)
		error = -ENODATA;
	if (error)
		return cps_kernel_events_explain(error, what, enough, why, bytes);
	kind->without_kernel = event.without_kernel;
	paranoia = event.without_kernel ? cps_kernel_events_paranoia() : 0;
	if (event.without_kernel && !cps_perf_may_strike_in_kernel())
		cps_error_text_join(
			why, bytes,
			"without those inside system calls: a signal there " CPS_PERF_RISK, NULL);
	else if (event.without_kernel)
		cps_error_text_join(
			why, bytes,
			"without those inside system calls: kernel.perf_event_paranoid is ",
			paranoia < 0 ? "not known"
				     : cps_digits(digits + sizeof(digits), (uint64_t)paranoia),
			", 1 or CAP_PERFMON would count them", NULL);
	return 0;
}

/* ---- page faults ----------------------------------------------------------------------------- */

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
	return cps_kernel_events_probe(&minor, why, bytes);
}

static int probe_major(char *why, size_t bytes)
{
	int error = cps_kernel_events_probe(&minor, why, bytes);

	return error ? error : cps_kernel_events_probe(&major, why, bytes);
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

/* ---- counters of the processor --------------------------------------------------------------- */

/* A fault of the program's code gives its signal at once; a counter may be over a few instructions later, in a system call. A
 * wrapper would go on with that, but does not know of handlers that the program had before. */
#define UNATTACHED "its signals may come inside of system calls, which then would fail"

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
		return cps_kernel_events_probe(&id, why, bytes);                                   \
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
		.unattached = UNATTACHED,                                                          \
	}

EVENTS("cycles", cycles, "cycles", 2000000, "cycles of the processor");
EVENTS("instructions", instructions, "instructions", 2000000, "instructions that were executed");
EVENTS("cache-misses", cache_misses, "misses", 10000, "misses of the last cache");
EVENTS("branch-misses", branch_misses, "misses", 10000, "branches foretold wrongly");

/* ---- events that the user names -------------------------------------------------------------- */

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
	read_perf(name, name + strlen(name), kind);
	set_needs(kind);
	return cps_kernel_events_probe(kind, why, bytes);
}

static int find_pmu(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	int error = cps_pmu_find(CPS_PMU_ROOT, name, kind, why, bytes);

	set_needs(kind);
	return error ? error : cps_kernel_events_probe(kind, why, bytes);
}

/* Whether there may be events at all. */
static int probe_named(char *why, size_t bytes)
{
	struct cps_overflow_kind kind = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	int error = cps_kernel_events_probe(&kind, why, bytes);

	if (!error && bytes)
		*why = '\0';
	return error;
}

#define NAMED_EVENTS(a_name, an_about, id)                                                         \
	{                                                                                          \
		.name = a_name, .unit = "events", .engine = "perf", .about = an_about,             \
		.kind = CPS_RESOURCE_EVENTS, .interval = 100000, .probe = probe_named,             \
		.read_name = read_##id##_name, .find_overflow = find_##id,                         \
		.start = cps_overflow_start, .stop = cps_overflow_stop,                            \
		.pause = cps_overflow_pause, .resume = cps_overflow_resume,                        \
		.arm = cps_overflow_arm, .disarm = cps_overflow_disarm,                            \
		.counted = cps_overflow_counted, .ticks_in_calls = true, .unattached = UNATTACHED, \
	}

const struct cps_resource cps_resource_perf =
	NAMED_EVENTS(PREFIX "CONFIG", "an event; also perf:TYPE:CONFIG", perf);
const struct cps_resource cps_resource_pmu =
	NAMED_EVENTS("PMU/EVENT/", "an event by its name below /sys", pmu);

/* ---- tracepoints ----------------------------------------------------------------------------- */

#define TRACE_PREFIX "tp:"
#define SYSCALLS     "raw_syscalls:sys_exit"

static int read_name(const char *text, const char *end, char name[CPS_RESOURCE_NAME_BYTES])
{
	if (end - text >= CPS_RESOURCE_NAME_BYTES ||
	    !cps_trace_is_event(text + strlen(TRACE_PREFIX), end))
		return -1;
	memcpy(name, text, (size_t)(end - text));
	name[end - text] = '\0';
	return 0;
}

/* Whether there may be such events that happen in the kernel. */
static int probe_tracepoints(bool is_at_exit, char *why, size_t bytes)
{
	struct cps_overflow_kind kind = {.type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_DUMMY,
					 .needs_kernel = true,
					 .is_at_exit = is_at_exit};

	return cps_kernel_events_probe(&kind, why, bytes);
}

static int probe_some(char *why, size_t bytes)
{
	return probe_tracepoints(false, why, bytes);
}

static void make_a_call(void)
{
	cps_sys_getpid();
}

static int find_event(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	const char *event = name + strlen(TRACE_PREFIX);
	int error;

	cps_trace_find(cps_trace_roots, event, kind, why, bytes);
	error = probe_tracepoints(kind->is_at_exit, why, bytes);
	if (!error)
		error = cps_trace_find(cps_trace_roots, event, kind, why, bytes);
	return error ? error : cps_kernel_events_probe(kind, why, bytes);
}

static int find_syscalls(const char *name, struct cps_overflow_kind *kind, char *why, size_t bytes)
{
	int error = probe_tracepoints(true, why, bytes);

	(void)name;
	if (!error)
		error = cps_trace_find(cps_trace_roots, SYSCALLS, kind, why, bytes);
	if (error)
		return error;
	kind->happen = make_a_call;
	return cps_kernel_events_probe(kind, why, bytes);
}

static int probe_syscalls(char *why, size_t bytes)
{
	struct cps_overflow_kind kind;

	return find_syscalls(NULL, &kind, why, bytes);
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
	TRACES(TRACE_PREFIX "SYSTEM:NAME", "events", "a tracepoint of the kernel"),
	.ticks_in_calls = true,
	.unattached = UNATTACHED,
	.probe = probe_some,
	.read_name = read_name,
	.find_overflow = find_event,
};
