/* SPDX-License-Identifier: MIT */
/*
 * switch_records.c - reads the records that the kernel writes of a thread's switches.
 *
 * In: pages that the kernel writes. Out: numbers of switches and of moves to other processors.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "base/sys.h"
#include "clock/perf.h"
#include "resource/switch_records.h"
#include "base/poison.h"

#define PAGE	4096u
#define NOWHERE UINT32_MAX

/* All have the same size, which divides that of the page. */
struct record {
	struct perf_event_header header;
	uint32_t cpu, reserved;
};

_Static_assert(PAGE % sizeof(struct record) == 0, "no record goes over the end of the page");

int cps_switch_records_open(const struct cps_thread *t, void **records, const char **what)
{
	const struct cps_perf_event event = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_DUMMY,
					     .without_kernel = true,
					     .tells_switches = true};
	int fd = cps_perf_open(&event, t), error;

	*what = "perf_event_open";
	if (fd < 0)
		return fd;
	error = cps_perf_map_records(fd, records);
	*what = "mmap of a perf event";
	cps_sys_close(fd);
	return error;
}

void cps_switch_records_close(void *records)
{
	cps_perf_end_records(records);
}

static uint64_t end_of(const void *records)
{
	const struct perf_event_mmap_page *control = records;

	return __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
}

bool cps_switch_records_are_new(const struct cps_switches *s)
{
	return end_of(s->records) != s->read_to;
}

static void read_one(struct cps_switches *s, const struct record *r,
		     struct cps_switch_counts *counts)
{
	bool is_out = r->header.misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (r->header.type != PERF_RECORD_SWITCH)
		return;
	if (is_out && r->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		counts->preempted++;
	else if (is_out)
		counts->blocked++;
	else if (s->cpu != r->cpu && s->cpu != NOWHERE)
		counts->moves++;
	s->cpu = r->cpu;
}

/* A switch has two records, one for each direction. */
void cps_switch_records_read(struct cps_switches *s, struct cps_switch_counts *counts)
{
	const void *records = atomic_load(&s->records);
	const char *data = (const char *)records + PAGE;
	uint64_t end = end_of(records);

	if (!s->read_to)
		s->cpu = NOWHERE;
	if (end < s->read_to)
		s->read_to = end;
	if (end - s->read_to > PAGE) {
		counts->preempted += (end - s->read_to - PAGE) / (2 * sizeof(struct record));
		s->read_to = end - PAGE;
	}
	for (; s->read_to < end; s->read_to += sizeof(struct record))
		read_one(s, (const void *)(data + s->read_to % PAGE), counts);
}

/* Sleeps for a moment, which is a switch. */
static int try(void *records)
{
	static const struct timespec moment = {0, 1000};
	struct cps_switches s = {.records = records};
	struct cps_switch_counts counts = {0, 0, 0};

	CPS_SYS(nanosleep, &moment, NULL, 0, 0);
	cps_switch_records_read(&s, &counts);
	return counts.blocked + counts.preempted > 0 ? 0 : -ENODATA;
}

int cps_switch_records_probe(char *why, size_t bytes)
{
	const struct cps_thread self = {.tid = 0};
	const char *what;
	void *records;
	int error = cps_switch_records_open(&self, &records, &what);

	if (!error) {
		error = try(records);
		cps_switch_records_close(records);
	}
	return error ? cps_perf_explain(error, what, 2, why, bytes) : 0;
}
