/* SPDX-License-Identifier: MIT */
/*
 * switches.c - counts how often threads are put off a processor.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/moment.h"
#include "base/sys.h"
#include "clock/perf.h"
#include "resource/off_cpu.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "resource/switches.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "signal/tick_riders.h"
#include "stream/loss.h"
#include "base/poison.h"

/* ---- switch records -------------------------------------------------------------------------- */
/*
 * In: pages that the kernel writes. Out: numbers of switches and of moves to other processors.
 */

#define NOWHERE UINT32_MAX

/* All have the same size, which divides that of the page. */
struct record {
	struct perf_event_header header;
	uint32_t cpu, reserved;
};

_Static_assert(CPS_PAGE_LEAST % sizeof(struct record) == 0,
	       "no record goes over the end of the page");

/* Let records of the thread's switches be written from now on. *records is to be given to the functions below. 0
 * or -errno, with what has failed in *what. */
static int cps_switch_records_open(const struct cps_thread *t, void **records, const char **what)
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

/* NULL: there are none. */
static void cps_switch_records_close(void *records)
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
	const char *data = (const char *)records + cps_sys_page();
	uint64_t end = end_of(records), room = cps_sys_page();

	if (!s->read_to)
		s->cpu = NOWHERE;
	if (end < s->read_to)
		s->read_to = end;
	if (end - s->read_to > room) {
		counts->preempted += (end - s->read_to - room) / (2 * sizeof(struct record));
		s->read_to = end - room;
	}
	for (; s->read_to < end; s->read_to += sizeof(struct record))
		read_one(s, (const void *)(data + s->read_to % room), counts);
}

/* Sleeps for a moment, which is a switch. Not by nanosleep: the launcher may have stopped the thread in a call that waits, and
 * the kernel would forget how to go on with it. */
static int try(void *records)
{
	struct timespec moment = {0, 1000}; /* the kernel writes there what is left */
	struct cps_switches s = {.records = records};
	struct cps_switch_counts counts = {0, 0, 0};

	CPS_SYS(ppoll, NULL, 0, &moment, NULL);
	cps_switch_records_read(&s, &counts);
	return counts.blocked + counts.preempted > 0 ? 0 : -ENODATA;
}

int cps_switch_records_try(const char **what)
{
	const struct cps_thread self = {.tid = 0};
	void *records;
	int error = cps_switch_records_open(&self, &records, what);

	if (!error) {
		error = try(records);
		cps_switch_records_close(records);
	}
	return error;
}

/* ---- switches -------------------------------------------------------------------------------- */
/*
 * Counts how often threads are put off a processor, and on another one.
 *
 * In: wrapped calls that begin and end, ticks, threads that begin and end. Out: credits of the
 * resources `switches` and `migrations`.
 *
 * Order: who holds a thread's state has acquired it from who released it. The pages of its records
 * are released by whoever arms it, also another thread, and acquired by all that look at them. What
 * is due is exchanged.
 */

#define SHORT                                                                                      \
	2000u	  /* ns; in less nobody has waited, and to ask would take a tenth of it and more */
#define MANY  64u /* waits; so many come without a tick only to who uses little CPU time */
#define BELOW 1u  /* the frame of who must not take from another what that is using */

static atomic_bool is_going;   /* neither paused nor ended */
static _Atomic uint64_t since; /* what getrusage had counted when this went on */
static _Atomic uint64_t used;  /* what it has counted up to the last pause */
static int owner;	       /* the process that counts */
static bool has_records;

/* ---- what has happened ----------------------------------------------------------------------- */

/* A thread's state is used by the thread, by handlers that interrupt it there, and by who ends the recording. Nobody
 * waits. Who was left by a longjmp from further down the stack uses it no more. */
static bool hold(struct cps_thread *t, uintptr_t frame)
{
	uintptr_t held = atomic_load_explicit(&t->held, memory_order_relaxed);

	if (frame == BELOW) { /* nor may it be taken from that one */
		held = 0;
		return atomic_compare_exchange_strong(&t->held, &held, CPS_THREAD_HELD);
	}
	return held < frame && atomic_compare_exchange_strong(&t->held, &held, frame);
}

static void release(struct cps_thread *t)
{
	atomic_store_explicit(&t->held, 0, memory_order_release);
}

static struct cps_switch_counts usage_of(int whose, struct rusage *usage)
{
	usage->ru_nvcsw = usage->ru_nivcsw = 0;
	CPS_SYS(getrusage, whose, usage, 0, 0);
	return (struct cps_switch_counts){(uint64_t)usage->ru_nvcsw, (uint64_t)usage->ru_nivcsw, 0};
}

static uint64_t usage_of_all(void)
{
	struct rusage usage;
	struct cps_switch_counts all = usage_of(RUSAGE_SELF, &usage);

	return all.blocked + all.preempted;
}

/* Adds what has happened in the thread, which is held, since this was asked last. Only the calling thread can ask
 * getrusage. */
static inline __attribute__((always_inline)) void
read_counts(const struct cps_thread *t, struct cps_switches *s, struct cps_switch_counts *n)
{
	struct cps_switch_counts now;

	if (s->records) {
		cps_switch_records_read(s, n);
		return;
	}
	now = usage_of(RUSAGE_THREAD, &s->asked);
	if (s->is_known && t == cps_thread_self()) {
		n->blocked += now.blocked - s->usage.blocked;
		n->preempted += now.preempted - s->usage.preempted;
	}
	s->usage = now;
	s->is_known = t == cps_thread_self();
}

/* The same for the calling thread, to be credited. `asks` says whether getrusage is worth its price. False: nothing, or
 * it does not count. A child of vfork runs with its parent's memory; one that is made past the C library has no
 * records, and finds the gate closed. */
static inline __attribute__((always_inline)) bool gather(struct cps_thread *t, uintptr_t frame,
							 bool asks, struct cps_switch_counts *n)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	bool is_new, is_time;

	if (!cps_gate_is_open() || !hold(t, frame))
		return false;
	is_new = s->records ? cps_switch_records_are_new(s) : asks;
	release(t);
	if (!is_new || t->tid != cps_sys_gettid())
		return false;
	is_time = cps_other_signals_is_time();
	if (!hold(t, frame))
		return false;
	read_counts(t, s, n);
	release(t);
	return is_time && n->blocked + n->preempted + n->moves > 0;
}

/* ---- credits --------------------------------------------------------------------------------- */

const struct cps_switches_part cps_switches_parts[CPS_SWITCHES_PARTS] = {
	{CPS_RESOURCE_OF_switches, CPS_SWITCHES_BLOCKED},
	{CPS_RESOURCE_OF_switches, CPS_SWITCHES_PREEMPTED},
	{CPS_RESOURCE_OF_migrations, 0}};

static uint64_t count_of(const struct cps_switch_counts *n, int part)
{
	return part == 0 ? n->blocked : part == 1 ? n->preempted : n->moves;
}

static _Atomic uint64_t *due_of(struct cps_switches *s, int part)
{
	return part == 0 ? &s->due_blocked : part == 1 ? &s->due_preempted : &s->due_moves;
}

static void add_due(struct cps_switches *s, const struct cps_switch_counts *n)
{
	for (int i = 0; i < CPS_SWITCHES_PARTS; i++)
		if (count_of(n, i))
			atomic_fetch_add(due_of(s, i), count_of(n, i));
}

static uint64_t all_due(const struct cps_switches *s)
{
	uint64_t n = 0;

	for (int i = 0; i < CPS_SWITCHES_PARTS; i++)
		n += atomic_load_explicit(due_of((struct cps_switches *)(uintptr_t)s, i),
					  memory_order_relaxed);
	return n;
}

/* Returns the weight of a sample of the calling thread, which has consumed so much; 0: none. */
static uint64_t pass(const struct cps_switches_part *part, uint64_t n)
{
	return n && cps_resource_is_counted(part->number) ? cps_point_pass(part->number, n) : 0;
}

/* Takes from what is due to the calling thread until that makes a sample. */
const struct cps_switches_part *cps_switches_take_due(struct cps_switches *s, uint64_t *weight)
{
	for (int i = 0; i < CPS_SWITCHES_PARTS; i++) {
		*weight = pass(&cps_switches_parts[i], atomic_exchange(due_of(s, i), 0));
		if (*weight)
			return &cps_switches_parts[i];
	}
	return NULL;
}

/* Whether what is due to the thread need not wait for a tick: none will come, or the thread uses so little CPU time
 * that it is far away. */
bool cps_switches_are_overdue(const struct cps_switches *s)
{
	return cps_sample_meter()->read
		       ? atomic_load_explicit(&s->due_blocked, memory_order_relaxed) >= MANY
		       : all_due(s) > 0;
}

void cps_switches_enter(struct cps_blocking_call *call, const uint64_t regs[CPS_REGS_KEPT])
{
	struct cps_switches *s = &cps_state_of(call->thread)->switches;
	struct cps_switch_counts n = {0, 0, 0};

	if (gather(call->thread, (uintptr_t)__builtin_frame_address(0), false, &n))
		add_due(s, &n);
	if (cps_sleeper_encloses(&s->sleep, cps_regs_kept_sp(regs)))
		return;
	call->noted |= CPS_BLOCKING_SWITCHES;
	cps_sleeper_note(&s->sleep, call->state, 0, call->leaf, regs);
}

static bool has_lasted(const struct cps_blocking_call *call)
{
	return cps_moment_ns() - call->since >= SHORT;
}

uint64_t cps_switches_pass(int i, const struct cps_switch_counts *n)
{
	return pass(&cps_switches_parts[i], count_of(n, i));
}

/* Of preemptions getrusage does not tell whether they came before the call. */
bool cps_switches_leave(const struct cps_blocking_call *call, struct cps_switch_counts *n)
{
	struct cps_switches *s = &cps_state_of(call->thread)->switches;
	bool is_any;

	*n = (struct cps_switch_counts){0, 0, 0};
	is_any = gather(call->thread, (uintptr_t)__builtin_frame_address(0),
			!s->records && has_lasted(call), n);
	if (is_any && !s->records) {
		atomic_fetch_add(&s->due_preempted, n->preempted);
		n->preempted = 0;
	}
	if (call->noted & CPS_BLOCKING_SWITCHES)
		cps_sleeper_forget(&s->sleep);
	return is_any;
}

/* In a call that was noted, the call is credited when it ends. */
static bool at_tick(struct cps_thread *t, const ucontext_t *context, uint64_t now, uint64_t reading,
		    struct cps_credit *credit)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	struct cps_switch_counts n = {0, 0, 0};
	const struct cps_switches_part *part;
	uint64_t weight;

	(void)now;
	(void)reading;
	if (!cps_sleeper_is_left(&s->sleep, context))
		return false;
	if (gather(t, BELOW, true, &n))
		add_due(s, &n);
	part = all_due(s) ? cps_switches_take_due(s, &weight) : NULL;
	if (part)
		*credit = cps_resource_credit(part->number, part->state, weight);
	return part != NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void forget(struct cps_thread *t)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	struct cps_switch_counts n;

	if (hold(t, BELOW)) {
		read_counts(t, s, &n);
		release(t);
	}
	for (int i = 0; i < CPS_SWITCHES_PARTS; i++)
		atomic_store(due_of(s, i), 0);
}

static void skip(struct cps_thread *t, uint64_t reading)
{
	(void)reading;
	forget(t);
	if (atomic_load(&is_going))
		atomic_store(&since, usage_of_all());
}

static const struct cps_tick_riders rider = {at_tick, cps_resource_keep, skip};

static void arm(struct cps_thread *t, void *context)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	const char *what;
	void *records = NULL;

	(void)context;
	if (s->records || s->is_known)
		return;
	if (has_records && cps_switch_records_open(t, &records, &what) != 0) {
		cps_loss_add(CPS_LOSS_MEMORY, 1);
		records = NULL;
	}
	s->read_to = 0;
	atomic_store(&s->records, records);
	if (!records)
		forget(t);
}

void cps_switches_arm(struct cps_thread *t)
{
	arm(t, NULL);
}

/* If another one is using them they stay until the process ends. */
static void close_records(struct cps_thread *t, void *context)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	void *records;

	(void)context;
	if (!hold(t, BELOW))
		return;
	records = atomic_exchange(&s->records, NULL);
	cps_switch_records_close(records);
	s->is_known = false;
	release(t);
}

/* What has no place is credited as often as points demand: there may be many threads. */
void cps_switches_disarm(struct cps_thread *t)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	struct cps_switch_counts n = {0, 0, 0};
	uint64_t mask = cps_sys_block_signals(), weight;
	const struct cps_switches_part *part;

	cps_sleeper_forget(&s->sleep);
	if (gather(t, BELOW, true, &n))
		add_due(s, &n);
	while ((part = cps_switches_take_due(s, &weight))) {
		struct cps_credit credit = cps_resource_credit(part->number, part->state, weight);

		if (!cps_sleeper_take_nowhere(t, &credit))
			cps_resource_keep(t, &credit);
	}
	close_records(t, NULL);
	cps_sys_set_mask(mask);
}

/* Credits a thread, which may be any, with all of it. */
static void credit_exactly(struct cps_thread *t, const struct cps_switches_part *part, uint64_t n,
			   const struct cps_sleep *call)
{
	struct cps_credit credit;

	if (!n || !cps_resource_is_counted(part->number) ||
	    (!cps_recording_path() && n < cps_resource_interval(part->number)))
		return;
	credit = cps_resource_credit(part->number, part->state, n);
	credit.is_tail = true;
	credit.leaf = call ? call->leaf : 0;
	if ((call && cps_sleeper_take(t, &cps_state_of(t)->switches.sleep, call, &credit)) ||
	    (credit.leaf = 0, cps_sleeper_take_nowhere(t, &credit)))
		cps_atoms_count(cps_resource_id(part->number), n, 0);
}

void cps_switches_credit_rest(struct cps_thread *t)
{
	struct cps_switches *s = &cps_state_of(t)->switches;
	struct cps_switch_counts n = {0, 0, 0};
	uint64_t mask = cps_sys_block_signals();
	struct cps_sleep call;
	bool is_in_call = cps_sleeper_read(&s->sleep, &call);

	if (hold(t, BELOW)) {
		if (cps_thread_is_live(t)) /* what it is due when it ends it credits itself */
			read_counts(t, s, &n);
		release(t);
	}
	for (int i = 0; i < CPS_SWITCHES_PARTS; i++) {
		credit_exactly(t, &cps_switches_parts[i], count_of(&n, i),
			       is_in_call ? &call : NULL);
		credit_exactly(t, &cps_switches_parts[i], atomic_exchange(due_of(s, i), 0), NULL);
	}
	cps_sys_set_mask(mask);
}

/* ---- the process ----------------------------------------------------------------------------- */

void cps_switches_resume(void)
{
	if (!atomic_exchange(&is_going, true))
		atomic_store(&since, usage_of_all());
}

void cps_switches_pause(void)
{
	if (atomic_exchange(&is_going, false))
		atomic_fetch_add(&used, usage_of_all() - atomic_load(&since));
}

void cps_switches_reset(void)
{
	owner = 0;
}

/* A child of fork has counted nothing. What goes on after its end, because an exec has failed, has. */
int cps_switches_start(uint64_t interval)
{
	const char *what;

	(void)interval;
	if (owner == cps_sys_getpid() && atomic_load(&is_going))
		return 0;
	if (owner != cps_sys_getpid()) {
		atomic_store(&is_going, false);
		atomic_store(&used, 0);
	}
	owner = cps_sys_getpid();
	has_records = cps_switch_records_try(&what) == 0;
	cps_thread_each(arm, NULL);
	cps_tick_riders_add(&rider);
	cps_blocking_watch(CPS_BLOCKING_SWITCHES | (has_records ? 0 : CPS_BLOCKING_LASTED));
	if (!cps_gate_is_paused())
		cps_switches_resume();
	return 0;
}

void cps_switches_stop(void)
{
	cps_blocking_ignore(CPS_BLOCKING_SWITCHES | CPS_BLOCKING_LASTED);
	cps_tick_riders_remove(&rider);
	cps_switches_pause();
	cps_thread_each(close_records, NULL);
}

uint64_t cps_switches_counted(uint32_t number)
{
	(void)number;
	return atomic_load(&used);
}
