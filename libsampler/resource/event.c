/* SPDX-License-Identifier: MIT */
/*
 * event.c - takes a sample outside of the handler.
 *
 * In: a credit, from a wrapper. Out: a sample of the wrapper's caller. What this takes is not credited as
 * CPU time to the target.
 */
#include <errno.h>

#include "base/moment.h"
#include "base/single.h"
#include "base/sys.h"
#include "resource/event.h"
#include "resource/resource.h"
#include "signal/budget.h"
#include "signal/gate.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "signal/side.h"
#include "stream/loss.h"
#include "unwind/regs.h"
#include "base/poison.h"

/* What it needs is kept in the thread's entry, and done on a stack of the recorder's: the thread may have hardly any
 * room (doc/decisions/0006). */
static void add(struct cps_thread *t)
{
	struct cps_job *job = &t->job;
	struct cps_credit credit = cps_resource_credit(job->number, job->state, job->gticks);
	ucontext_t context = {0};

	credit.leaf = job->leaf;
	credit.number = job->block;
	if (job->outside)
		credit.outside = *job->outside;
	_Static_assert(sizeof(job->regs) == CPS_REGS_KEPT * sizeof(uint64_t), "thread.h has room");
	cps_regs_context_of(&context, job->regs);
	job->is_done = cps_sample_add_stack(t, &context, &credit);
}

static void work(void *thread)
{
	struct cps_thread *t = thread;
	struct cps_side_use use = {0, 0};
	uint64_t begin = cps_sample_own_begin();

	cps_side_enter(&use);
	cps_budget_begin(t, cps_moment_ns());
	if (!t->job.call)
		add(t);
	else
		t->job.call(t->job.argument);
	cps_side_leave(&use);
	cps_sample_own_end(t, begin);
}

bool cps_event_call(void (*f)(void *), void *argument)
{
	struct cps_thread *t = cps_thread_self();
	bool is_called = false;
	uint64_t mask;
	int saved = errno;

	if (!t || cps_thread_is_gone(t) || !cps_gate_is_open())
		return false;
	mask = cps_sys_block_signals();
	if (!atomic_exchange(&t->busy, true)) {
		t->job.call = f;
		t->job.argument = argument;
		is_called = cps_own_stack_call(t->id, work, t);
		atomic_store(&t->busy, false);
	}
	cps_sys_set_mask(mask);
	errno = saved;
	return is_called;
}

/* Returns whether there is a sample, for the thread's job. */
static bool take(struct cps_thread *t)
{
	t->job.call = NULL;
	t->job.is_done = false;
	if (!cps_gate_is_open() || !cps_side_is_time())
		return false; /* it is due later */
	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		return false;
	}
	if (!cps_own_stack_call(t->id, work, t))
		cps_loss_add(CPS_LOSS_BUSY, 1);
	atomic_store(&t->busy, false);
	return t->job.is_done;
}

/* No handler that the thread could run uses the job: signals are blocked. */
bool cps_event_take(uint32_t number, uint32_t state, uint64_t gticks, uint64_t leaf, uint64_t block,
		    const struct cps_code_range *outside)
{
	struct cps_thread *t = cps_thread_self();
	uint64_t mask;
	int saved = errno;
	bool is_done;

	if (!t || cps_thread_is_gone(t))
		return false;
	mask = cps_sys_block_signals();
	t->job.mask = mask;
	t->job.number = number;
	t->job.state = state;
	t->job.gticks = gticks;
	t->job.leaf = leaf;
	t->job.block = block;
	t->job.outside = outside;
	cps_regs_keep_here(t->job.regs);
	is_done = take(t);
	if (!is_done)
		cps_single_add((int64_t *)&t->points[number].rest, (int64_t)gticks);
	cps_sys_set_mask(t->job.mask);
	errno = saved;
	return is_done;
}
