/* SPDX-License-Identifier: MIT */
/*
 * blocking.c - tells the resources that want to know of it when a wrapped call may block its thread.
 *
 * In: wrapped calls that begin and end. Out: the same to those who have asked.
 *
 * Order: what a watcher needs is there before its bit is set, and used by who has acquired that.
 */
#include "base/moment.h"
#include "resource/blocking.h"
#include "resource/off_cpu.h"
#include "resource/resource.h"
#include "resource/switches.h"
#include "base/poison.h"

_Atomic uint32_t cps_blocking_watchers;

void cps_blocking_watch(uint32_t who)
{
	atomic_fetch_or(&cps_blocking_watchers, who);
}

void cps_blocking_ignore(uint32_t who)
{
	atomic_fetch_and(&cps_blocking_watchers, ~who);
}

void cps_blocking_enter(void *begins, const uint64_t regs[CPS_REGS_KEPT])
{
	struct cps_blocking_call *call = begins;
	struct cps_thread *t = cps_thread_self();

	if (!t || cps_thread_is_gone(t))
		return;
	call->thread = t;
	call->who = atomic_load_explicit(&cps_blocking_watchers, memory_order_acquire);
	if (call->who & CPS_BLOCKING_SWITCHES)
		cps_switches_enter(call, regs);
	if (call->who & (CPS_BLOCKING_REAL | CPS_BLOCKING_LASTED))
		call->since = cps_moment_ns();
	if (call->who & CPS_BLOCKING_REAL)
		cps_off_cpu_enter(call, regs);
}

/* Samples are taken here, and not where their weights are found: threads may have little stack. */
void cps_blocking_leave(const struct cps_blocking_call *call)
{
	uint64_t gticks = call->who & CPS_BLOCKING_REAL ? cps_off_cpu_leave(call) : 0;
	const struct cps_switches_part *part;
	struct cps_switch_counts n;

	if (gticks)
		cps_resource_sample_in(CPS_RESOURCE_OF_real, call->state, gticks, call->leaf);
	if (!(call->who & CPS_BLOCKING_SWITCHES))
		return;
	for (int i = cps_switches_leave(call, &n) ? 0 : CPS_SWITCHES_PARTS; i < CPS_SWITCHES_PARTS;
	     i++) {
		part = &cps_switches_parts[i];
		gticks = cps_switches_pass(i, &n);
		if (gticks)
			cps_resource_sample_in(part->number, part->state, gticks, call->leaf);
	}
	if (!(call->noted & CPS_BLOCKING_SWITCHES) ||
	    !cps_switches_are_overdue(&call->thread->switches))
		return;
	while ((part = cps_switches_take_due(&call->thread->switches, &gticks)))
		cps_resource_sample(part->number, part->state, gticks);
}
