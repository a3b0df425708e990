/* SPDX-License-Identifier: MIT */
/*
 * gate.c - decides whether ticks become samples, and how many.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/sys.h"
#include "signal/gate.h"
#include "unwind/unwind.h"
#include "format.h"
#include "base/poison.h"

/* ---- off switch ------------------------------------------------------------------------------ */
/*
 * Looks for the file that turns recording off.
 *
 * In: the time. Out: whether recording is to end.
 */

#define DISTANCE_NS UINT64_C(1000000000)

static const char *path;
static _Atomic uint64_t next_look; /* 0: look at once */
static atomic_bool is_off;

void cps_off_switch_set(const char *p)
{
	path = p;
}

bool cps_off_switch_is_on(void)
{
	return path && CPS_SYS(faccessat, AT_FDCWD, path, F_OK, 0) == 0;
}

bool cps_off_switch_was_seen(uint64_t now)
{
	uint64_t next = atomic_load_explicit(&next_look, memory_order_relaxed);

	if (now >= next && atomic_compare_exchange_strong(&next_look, &next, now + DISTANCE_NS) &&
	    cps_off_switch_is_on())
		atomic_store(&is_off, true);
	return atomic_load_explicit(&is_off, memory_order_relaxed);
}

/* ---- lease ----------------------------------------------------------------------------------- */
/*
 * In: a number that another process changes. Out: whether it still does.
 *
 * Order: how long it lasts is stored before the number's address is released, and used by who has acquired that. When a value
 * came is stored before the value: who finds the value finds no earlier time.
 */

static _Atomic(const uint64_t *) lease;
static uint64_t lease_ns;
static _Atomic uint64_t last_beat, beat_at; /* its latest value, and since when it has that */

void cps_lease_begin(const uint64_t *beat, uint64_t ns)
{
	lease_ns = ns;
	atomic_store(&last_beat, 0);
	atomic_store(&beat_at, 0);
	atomic_store(&lease, beat);
}

bool cps_lease_is_over(uint64_t now)
{
	const uint64_t *beat = atomic_load_explicit(&lease, memory_order_acquire);
	uint64_t value;

	if (!beat)
		return false;
	value = __atomic_load_n(beat, __ATOMIC_RELAXED);
	if (value != atomic_load(&last_beat) || !atomic_load(&beat_at)) {
		atomic_store(&beat_at, now);
		atomic_store(&last_beat, value);
	}
	return (int64_t)(now - atomic_load(&beat_at)) > (int64_t)lease_ns;
}

/* ---- budget ---------------------------------------------------------------------------------- */
/*
 * In: what each tick took, and what the thread used since the one before. Out: how deep stacks are
 * followed, and how far apart ticks are (doc/decisions/0049).
 */

#define STACKS_PART 16u	     /* stacks may take this part of a thread's time ... */
#define SPARE_MOST  50000000 /* ns; ... and as much more at once, such as at its beginning */

#define MILLION	     UINT64_C(1000000)
#define THINNER_MOST 12u    /* the longest interval is 4,096 times the one that was set */
#define TICKS	     8u	    /* so many ticks tell what a tick takes */
#define GRACE_NS     200000 /* recording may take this much beyond its share */

static _Atomic uint32_t share; /* in millionths; 0: no limit */

void cps_budget_set(uint32_t millionths)
{
	atomic_store(&share, millionths);
}

/* A thread begins with all it may have to spare: spare_ns is what it has used of that. */
void cps_budget_begin(struct cps_thread *t, uint64_t now)
{
	t->walk_until = now + (uint64_t)(t->spare_ns < SPARE_MOST ? SPARE_MOST - t->spare_ns : 1);
}

bool cps_budget_is_over(const struct cps_thread *t)
{
	return t->over_ns > GRACE_NS && atomic_load_explicit(&share, memory_order_relaxed);
}

/* Keeps half as many frames when all is used up, and twice as many when all is there again. */
static void settle_stacks(struct cps_thread *t, uint64_t used_ns, uint64_t took_ns)
{
	uint32_t room = t->stack_room ? t->stack_room : CPS_DEPTH_MAX;

	t->spare_ns += (int64_t)took_ns - (int64_t)(used_ns / STACKS_PART);
	if (t->spare_ns <= 0) {
		t->spare_ns = 0;
		t->stack_room = room < CPS_DEPTH_MAX ? 2 * room : CPS_DEPTH_MAX;
	} else if (t->spare_ns > SPARE_MOST) {
		t->spare_ns = SPARE_MOST;
		t->stack_room = room > CPS_UNWIND_LEAST ? room / 2 : CPS_UNWIND_LEAST;
	}
}

/* Doubles or halves the interval by what the last ticks took. A few of them are not to be trusted
 * further than four times: the first one makes the recording. */
static void settle_interval(struct cps_thread *t, uint64_t millionths)
{
	uint64_t allowed = t->used_ns * millionths / MILLION;

	if (t->took_ns < allowed * 2 / 5 && t->thinner)
		t->thinner--;
	for (int i = 0; i < 4 && t->took_ns > allowed && t->thinner < THINNER_MOST; i++) {
		t->thinner++;
		allowed *= 2;
	}
	t->n_settled = 0;
	t->took_ns = t->used_ns = 0;
}

static void settle_share(struct cps_thread *t, uint64_t used_ns, uint64_t took_ns,
			 uint64_t millionths)
{
	t->over_ns += (int64_t)took_ns - (int64_t)(used_ns * millionths / MILLION);
	if (t->over_ns < -GRACE_NS)
		t->over_ns = -GRACE_NS;
	t->took_ns += took_ns;
	t->used_ns += used_ns;
	if (++t->n_settled == TICKS)
		settle_interval(t, millionths);
}

void cps_budget_settle(struct cps_thread *t, uint64_t reading, uint64_t took_ns)
{
	uint64_t used_ns = t->last_reading ? reading - t->last_reading : 0;
	uint32_t millionths = atomic_load_explicit(&share, memory_order_relaxed);

	if ((int64_t)used_ns < 0)
		used_ns = 0;
	t->last_reading = reading;
	settle_stacks(t, used_ns, took_ns);
	if (millionths)
		settle_share(t, used_ns, took_ns, millionths);
}

/* ---- gate ------------------------------------------------------------------------------------ */
/*
 * Decides whether ticks become samples.
 *
 * In: start, pause, resume, times. Out: a verdict for each tick. The flag is on a page that the
 * kernel clears in a child, however the child was made, because a child must not write into its
 * parent's journal.
 *
 * Order: each sum stands for itself. Who opens the gate, or resumes, has prepared everything before, which is released by
 * the flag and acquired with it. A tick that sees it open or closed a moment late is as one that came a
 * moment earlier. Who must know that no handler is at work any more has closed it before it looks at their count, and they
 * have counted themselves before they look at it (stream/thread.h): all four are in one order, so that one sees the other.
 */

#define PAGE_BYTES CPS_PAGE_MOST

static _Atomic(atomic_bool *) is_on;
static atomic_bool is_paused;
static _Atomic uint64_t from, until;
/* CPU time: the sum of the times before the last pause, and what it was at the last resume. */
struct cpu {
	_Atomic uint64_t user, system;
};
static struct cpu cpu_sum, cpu_since;

/* The CPU time of the process. CLOCK_PROCESS_CPUTIME_ID is not used: while an interval timer runs,
 * it advances only at the kernel's ticks. */
static struct cpu process_cpu(void)
{
	struct rusage used;
	const struct timeval *u = &used.ru_utime, *s = &used.ru_stime;

	if (CPS_SYS(getrusage, RUSAGE_SELF, &used, 0, 0) != 0)
		return (struct cpu){cps_sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0};
	return (struct cpu){(uint64_t)u->tv_sec * 1000000000 + (uint64_t)u->tv_usec * 1000,
			    (uint64_t)s->tv_sec * 1000000000 + (uint64_t)s->tv_usec * 1000};
}

static void set_cpu(struct cpu *to, struct cpu now)
{
	atomic_store(&to->user, now.user);
	atomic_store(&to->system, now.system);
}

static void begin_cpu(void)
{
	set_cpu(&cpu_since, process_cpu());
}

static void add_cpu(struct cpu *sum)
{
	const struct cpu now = process_cpu();

	sum->user += now.user - cpu_since.user;
	sum->system += now.system - cpu_since.system;
}

bool cps_gate_open(void)
{
	atomic_bool *page = atomic_load(&is_on);

	if (!page) {
		page = cps_arena_pages(PAGE_BYTES);
		if (!page || CPS_SYS(madvise, page, PAGE_BYTES, MADV_WIPEONFORK, 0) != 0)
			return false;
		atomic_store(&is_on, page);
	}
	set_cpu(&cpu_sum, (struct cpu){0, 0});
	begin_cpu();
	atomic_store(page, true);
	return true;
}

void cps_gate_close(void)
{
	atomic_bool *page = atomic_load(&is_on);

	if (page)
		atomic_store(page, false);
}

bool cps_gate_reopen(void)
{
	atomic_bool *page = atomic_load(&is_on);

	if (page)
		atomic_store(page, true);
	return page != NULL;
}

bool cps_gate_is_open(void)
{
	atomic_bool *page = atomic_load_explicit(&is_on, memory_order_relaxed);

	return page && atomic_load(page);
}

void cps_gate_limit(uint64_t from_ns, uint64_t until_ns)
{
	from = from_ns;
	until = until_ns;
}

bool cps_gate_pause(void)
{
	if (atomic_exchange(&is_paused, true))
		return false;
	if (!cps_gate_is_early())
		add_cpu(&cpu_sum);
	return true;
}

bool cps_gate_resume(void)
{
	if (!atomic_load(&is_paused))
		return false;
	begin_cpu();
	return atomic_exchange(&is_paused, false);
}

bool cps_gate_is_paused(void)
{
	return atomic_load(&is_paused);
}

bool cps_gate_is_early(void)
{
	return atomic_load(&from) != 0;
}

bool cps_gate_is_over(void)
{
	uint64_t end = atomic_load(&until);

	return end && cps_moment_ns() >= end;
}

uint64_t cps_gate_until(void)
{
	return atomic_load(&until);
}

uint64_t cps_gate_cpu_ns(uint64_t *system_ns)
{
	struct cpu sum = {atomic_load(&cpu_sum.user), atomic_load(&cpu_sum.system)};

	if (!cps_gate_is_paused() && !cps_gate_is_early())
		add_cpu(&sum);
	*system_ns = sum.system;
	return sum.user + sum.system;
}

static enum cps_verdict by_time(void)
{
	uint64_t now = cps_moment_ns(), start = from;

	if (until && now >= until)
		return CPS_GATE_OVER;
	if (start && now < start)
		return CPS_GATE_EARLY;
	if (start && atomic_compare_exchange_strong(&from, &start, 0)) {
		begin_cpu();
		return CPS_GATE_BEGINS;
	}
	return CPS_GATE_OPEN;
}

enum cps_verdict cps_gate_verdict(void)
{
	if (!cps_gate_is_open())
		return CPS_GATE_CLOSED;
	if (atomic_load_explicit(&is_paused, memory_order_acquire))
		return CPS_GATE_PAUSED;
	return atomic_load_explicit(&from, memory_order_relaxed) ||
			       atomic_load_explicit(&until, memory_order_relaxed)
		       ? by_time()
		       : CPS_GATE_OPEN;
}
