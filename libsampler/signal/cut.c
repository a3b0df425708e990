/* SPDX-License-Identifier: MIT */
/*
 * cut.c - keeps what the handler has seen of the call that its thread is in.
 *
 * In: frames of wrapped calls, contexts of ticks. Out: whether a call was cut short. If a call is
 * left by longjmp its frame stays, which does no harm: the next call sets its own.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/sys.h"
#include "signal/cut.h"
#include "unwind/regs.h"
#include "base/poison.h"

__thread struct cps_cut_state cps_cut_state;

bool cps_cut_is_possible(const ucontext_t *uc)
{
	return cps_cut_state.frame && cps_regs_is_below(uc, cps_cut_state.frame) &&
	       uc->uc_mcontext.gregs[REG_RAX] > 0 && cps_regs_is_behind_call(uc);
}

/* A thread may find contexts on its stack that are those of a thread which had this memory before, so
 * each counts in a range of its own. */
void cps_cut_begin_numbers(void)
{
	enum { RANGE_BITS = 40 };
	static _Atomic uint64_t ranges;

	cps_cut_state.number = (atomic_fetch_add_explicit(&ranges, 1, memory_order_relaxed) + 1)
			       << RANGE_BITS;
}

static bool is_readable(uintptr_t from, uintptr_t to)
{
	return cps_sys_readable(from & ~(uintptr_t)7) && cps_sys_readable(to & ~(uintptr_t)7);
}

/*
 * The context is then also in the memory below the stack pointer, where the kernel had saved it for
 * that handler. Returns it, and in *state where its floating-point registers are; NULL if there is no such
 * context. Our own frame is not there, because it is on the alternate stack. If it is there, or if the
 * target's handler was on that stack, nothing is found.
 */
static const ucontext_t *same_below(const ucontext_t *uc, uintptr_t *state)
{
	static const int same[] = {REG_RIP, REG_RSP, REG_RAX, REG_RBX,
				   REG_RBP, REG_RSI, REG_RDI, REG_RDX};
	const ucontext_t *old = (const ucontext_t *)cps_regs_place_of_context(
		uc, cps_regs_interrupted_sp(uc) - CPS_RED_ZONE, state);

	/* The two lie in a frame that is smaller than a page. */
	if (!old || old == uc ||
	    !is_readable((uintptr_t)old, *state + sizeof(struct _libc_fpstate) - 1))
		return NULL;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (old->uc_mcontext.gregs[same[i]] != uc->uc_mcontext.gregs[same[i]])
			return NULL;
	return old;
}

bool cps_cut_may_be_returned_to(const ucontext_t *uc)
{
	uintptr_t state = 0;

	return same_below(uc, &state) != NULL;
}

/* A tick that comes while the handler returns looks as if it had ended the call, which that handler's
 * signal had. The number of the call tells whether this context is that of an earlier one. */
bool cps_cut_was_returned_to(const ucontext_t *uc)
{
	uintptr_t state = 0;
	uint64_t number = uc->uc_mcontext.fpregs ? cps_regs_number(uc->uc_mcontext.fpregs) : 0;

	return number && same_below(uc, &state) &&
	       cps_regs_number((const struct _libc_fpstate *)state) == number;
}

void cps_cut_note(void)
{
	cps_cut_state.is_cut = true;
}
