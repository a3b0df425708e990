/* SPDX-License-Identifier: MIT */
/*
 * event.c - takes a sample outside of the handler.
 *
 * In: a credit, from a wrapper. Out: a sample of the wrapper's caller. What this takes is not credited as
 * CPU time to the target.
 */
#include <errno.h>

#include "base/moment.h"
#include "base/sys.h"
#include "resource/event.h"
#include "signal/budget.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "signal/side.h"
#include "stream/loss.h"
#include "unwind/regs.h"
#include "base/poison.h"

struct job {
	struct cps_thread *thread;
	const struct cps_credit *credit;
	ucontext_t context;
	bool is_done;
};

static void add(void *argument)
{
	struct job *job = argument;

	job->is_done = cps_sample_add_stack(job->thread, &job->context, job->credit);
}

/* Calls f on a stack of the recorder's, with all signals blocked, and not at the thread's expense. False: f was not
 * called, and why. */
static bool call(struct cps_thread *t, void (*f)(void *), void *argument, enum cps_loss *why)
{
	struct cps_side_use use = {0, 0};
	uint64_t begin;
	bool done;

	*why = CPS_LOSS_REENTERED;
	if (atomic_exchange(&t->busy, true))
		return false;
	*why = CPS_LOSS_BUSY;
	begin = cps_sample_own_begin();
	cps_side_enter(&use);
	cps_budget_begin(t, cps_moment_ns());
	done = cps_own_stack_call(t->id, f, argument);
	cps_side_leave(&use);
	cps_sample_own_end(t, begin);
	atomic_store(&t->busy, false);
	return done;
}

bool cps_event_call(void (*f)(void *), void *argument)
{
	struct cps_thread *t = cps_thread_self();
	enum cps_loss why;
	bool done;
	uint64_t mask;
	int saved = errno;

	if (!t || cps_thread_is_gone(t) || !cps_gate_is_open())
		return false;
	mask = cps_sys_block_signals();
	done = call(t, f, argument, &why);
	cps_sys_set_mask(mask);
	errno = saved;
	return done;
}

bool cps_event_take(const struct cps_credit *credit)
{
	struct job job = {cps_thread_self(), credit, {0}, false};
	enum cps_loss why;
	uint64_t mask;
	int saved = errno;

	if (!job.thread || cps_thread_is_gone(job.thread) || !cps_gate_is_open())
		return false;
	mask = cps_sys_block_signals();
	if (!cps_side_is_time()) {
		cps_sys_set_mask(mask);
		return false;
	}
	cps_regs_context_here(&job.context);
	if (!call(job.thread, add, &job, &why))
		cps_loss_add(why, 1);
	cps_sys_set_mask(mask);
	errno = saved;
	return job.is_done;
}
