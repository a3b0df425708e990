/* SPDX-License-Identifier: MIT */
/*
 * other_signals.c - samples at signals that are no ticks of the clock.
 *
 * In: a signal. Out: a sample of what it has interrupted, or a counted loss. The CPU time that this
 * takes is not credited to the target.
 *
 * Order: what the other signals need is there before its address is released, and used by who has acquired
 * that.
 */
#include <stdatomic.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "base/sys.h"
#include "signal/gate.h"
#include "signal/other_signals.h"
#include "signal/own_stack.h"
#include "signal/sample.h"
#include "stream/loss.h"
#include "base/poison.h"

static _Atomic(const struct cps_other_signals *) others;

void cps_other_signals_use_this(const struct cps_other_signals *s)
{
	atomic_store(&others, s);
}

static const struct cps_other_signals *in_use(void)
{
	return atomic_load_explicit(&others, memory_order_acquire);
}

static void skip(void *context)
{
	(void)context;
	cps_sample_skip(NULL);
}

/* Wrappers ask, too, and their thread may have hardly any stack: this is once, and its frame is not there otherwise. */
static __attribute__((noinline)) void begin(void)
{
	uint64_t mask = cps_sys_block_signals();

	if (!cps_own_stack_call(0, skip, NULL))
		skip(NULL);
	cps_sys_set_mask(mask);
}

bool cps_other_signals_is_time(void)
{
	enum cps_verdict verdict = cps_gate_verdict();

	if (verdict == CPS_GATE_BEGINS)
		begin();
	return verdict == CPS_GATE_BEGINS || verdict == CPS_GATE_OPEN;
}

static void take(const struct cps_other_signals *s, struct cps_thread *t, const siginfo_t *info,
		 const ucontext_t *context)
{
	struct cps_credit credit = {0};
	uint64_t begin = cps_sample_own_begin();

	if (atomic_exchange(&t->busy, true)) {
		cps_loss_add(CPS_LOSS_REENTERED, 1);
		s->rearm(t, info);
		return;
	}
	if (s->credit(t, info, &credit) && cps_other_signals_is_time()) {
		cps_budget_begin(t, cps_moment_ns());
		if (!cps_sample_credit(t, context, &credit))
			s->keep(t, info, &credit);
	}
	if (!cps_loss_stop_reason(NULL))
		s->rearm(t, info);
	cps_sample_own_end(t, begin);
	atomic_store(&t->busy, false);
}

bool cps_other_signals_handle(const siginfo_t *info, void *context)
{
	const struct cps_other_signals *s = in_use();
	struct cps_thread *t = cps_thread_self();

	if (!t || !cps_thread_is_taken(t)) /* an event may come before the first tick */
		t = cps_thread_come(cps_regs_interrupted_sp(context));
	if (!s || !s->is_mine(info))
		return false;
	if (t && !cps_thread_is_gone(t) && cps_gate_is_open())
		take(s, t, info, context);
	cps_sample_note_interruption(context);
	return true;
}

bool cps_other_signals_forgo(struct cps_thread *t, const siginfo_t *info)
{
	const struct cps_other_signals *s = in_use();

	if (!s || !s->is_mine(info))
		return false;
	s->rearm(t, info);
	return true;
}

void cps_other_signals_enter(struct cps_other_signals_use *use)
{
	const struct cps_other_signals *s = in_use();

	if (s)
		s->enter(use);
}

void cps_other_signals_leave(const struct cps_other_signals_use *use)
{
	const struct cps_other_signals *s = in_use();
	struct cps_thread *t = cps_thread_self();

	if (s)
		s->leave(t && !cps_thread_is_gone(t) ? t : NULL, use);
}
