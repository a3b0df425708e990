/* SPDX-License-Identifier: MIT */
/*
 * gate.c - decides whether ticks become samples.
 *
 * In: start, pause, resume, times. Out: a verdict for each tick. The flag is on a page that the
 * kernel clears in a child, however the child was made, because a child must not write into its
 * parent's journal.
 *
 * Order: each flag and each sum stands for itself, and who opens the gate has prepared everything before. A tick that
 * sees it open or closed a moment late is as one that came a moment earlier; who must know that no handler is at
 * work any more waits for them (stream/thread.h).
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/moment.h"
#include "base/sys.h"
#include "signal/gate.h"
#include "base/poison.h"

#define PAGE_BYTES 4096

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

	return page && atomic_load_explicit(page, memory_order_relaxed);
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
	if (atomic_load_explicit(&is_paused, memory_order_relaxed))
		return CPS_GATE_PAUSED;
	return atomic_load_explicit(&from, memory_order_relaxed) ||
			       atomic_load_explicit(&until, memory_order_relaxed)
		       ? by_time()
		       : CPS_GATE_OPEN;
}
