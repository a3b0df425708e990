/* SPDX-License-Identifier: MIT */
/*
 * masked.c - tells whether a tick has interrupted a call that changes the mask while it waits.
 *
 * In: the mask of such a call. Out: a signal that is blocked either in the call or around it, and by
 * which the handler knows where it is. And it keeps our signals out of calls that must not be interrupted.
 */
#include <stddef.h>
#include <string.h>

#include "base/sys.h"
#include "signal/disposition.h"
#include "signal/gate.h"
#include "signal/masked.h"
#include "signal/sample.h"
#include "signal/waiting.h"
#include "unwind/regs.h"
#include "base/poison.h"

#define BIT(s) (UINT64_C(1) << ((s)-1))

__thread struct cps_masked cps_masked_now;
static bool is_watched;
static bool are_ticks; /* our signals are, and the clock can keep them out of calls */

/* Another process may send these signals, but hardly ever does. The first is the most unlikely
 * one. SIGSEGV and SIGBUS are not among them: programs that handle these, such as garbage collectors, may touch
 * protected memory in any handler, and are killed if the signal is blocked then. */
static const uint64_t marks[] = {BIT(SIGFPE), BIT(SIGILL), BIT(SIGTRAP)};

void cps_masked_watch(bool are)
{
	is_watched = true;
	are_ticks = are;
}

static uint64_t first_of(uint64_t set)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i] & set)
			return marks[i];
	return 0;
}

static uint64_t change(int how, uint64_t bits)
{
	uint64_t before = 0;

	CPS_SYS(rt_sigprocmask, how, &bits, &before, sizeof(bits));
	return before;
}

/* The call lets one of the signals through: it is blocked around the call. If it comes there, it is
 * handled within the call. (A handler that runs there and leaves by a longjmp which keeps the mask leaves
 * it blocked.) */
static void mark_around(struct cps_masked_call *call, uint64_t bit)
{
	cps_masked_now.bit = call->bit = bit;
	cps_masked_now.is_inside = false;
	call->undo = change(SIG_BLOCK, bit) & bit ? -1 : SIG_UNBLOCK;
}

/* The call blocks all of them. If the target does so too, one that is not pending is let through
 * around the call. */
static void mark_inside(struct cps_masked_call *call)
{
	uint64_t blocked = change(SIG_BLOCK, 0), pending = ~UINT64_C(0);

	cps_masked_now.bit = first_of(~blocked);
	cps_masked_now.is_inside = true;
	if (cps_masked_now.bit)
		return;
	CPS_SYS(rt_sigpending, &pending, sizeof(pending), 0, 0);
	cps_masked_now.bit = first_of(~pending);
	if (cps_masked_now.bit) {
		change(SIG_UNBLOCK, cps_masked_now.bit);
		call->bit = cps_masked_now.bit;
		call->undo = SIG_BLOCK;
	}
}

static __attribute__((noinline)) void mark(struct cps_masked_call *call, uintptr_t frame,
					   const sigset_t *mask)
{
	uint64_t inside, bit;

	if (!cps_sys_readable((uintptr_t)mask))
		return;
	memcpy(&inside, mask, sizeof(inside));
	bit = first_of(~inside);
	if (bit)
		mark_around(call, bit);
	else
		mark_inside(call);
	cps_masked_now.frame = cps_masked_now.bit ? frame : 0;
}

/* After the end of the recording a filter may forbid the calls that are made here. Most waits have no mask, and take no
 * stack for one: threads may have little. */
void cps_masked_begin(struct cps_masked_call *call, uintptr_t frame, const sigset_t *mask)
{
	*call = (struct cps_masked_call){.before = cps_masked_now, .undo = -1};
	if (!cps_masked_now.is_quiet)
		cps_masked_now.frame = cps_masked_now.held = 0;
	if (mask && is_watched && cps_gate_is_open())
		mark(call, frame, mask);
}

/* A call that comes to its end was not left by longjmp, whatever cps_masked_forget has made of it:
 * a handler may run on a stack that lies above this one. */
void cps_masked_end(const struct cps_masked_call *call)
{
	if (call->undo >= 0)
		change(call->undo, call->bit);
	if (cps_masked_now.is_quiet && !call->before.is_quiet)
		cps_waiting_let_go();
	cps_masked_now = call->before;
}

struct cps_masked_call cps_masked_hold(uintptr_t frame)
{
	struct cps_masked_call call = {.before = cps_masked_now, .undo = -1};
	uint64_t ours;

	cps_masked_now.frame = 0;
	if (!is_watched || !cps_gate_is_open())
		return call;
	if (are_ticks) {
		if (!call.before.is_quiet)
			cps_waiting_hold();
		cps_masked_now = (struct cps_masked){.frame = frame, .is_quiet = true};
		return call;
	}
	ours = BIT(CPS_SIGNAL_OWN) | BIT(cps_sample_signal());
	call.bit = ours & ~change(SIG_BLOCK, ours);
	call.undo = SIG_UNBLOCK;
	cps_masked_now = (struct cps_masked){.frame = frame, .held = call.bit};
	return call;
}

const sigset_t *cps_masked_awaited(const sigset_t *set, uint64_t *copy)
{
	if (!is_watched || !cps_gate_is_open() || !cps_sys_readable((uintptr_t)set))
		return set;
	memcpy(copy, set, sizeof(*copy));
	if (!(*copy & BIT(CPS_SIGNAL_OWN)))
		return set;
	*copy &= ~BIT(CPS_SIGNAL_OWN);
	return (const sigset_t *)copy;
}

void cps_masked_leave(void)
{
	const struct cps_masked left = cps_masked_now;

	cps_masked_now.frame = cps_masked_now.held = 0;
	cps_masked_now.is_quiet = false;
	if (left.held)
		change(SIG_UNBLOCK, left.held);
	if (left.is_quiet)
		cps_waiting_let_go();
}

bool cps_masked_is_over(const ucontext_t *uc)
{
	return cps_regs_is_below(uc, cps_masked_now.frame) &&
	       !(change(SIG_BLOCK, 0) & cps_masked_now.bit) == cps_masked_now.is_inside;
}
