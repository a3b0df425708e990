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

static __thread uintptr_t frame; /* of the innermost wrapper; 0: there is none */
static __thread bool is_cut;

uintptr_t cps_cut_begin(uintptr_t now)
{
	uintptr_t before = frame;

	frame = now;
	is_cut = false;
	cps_cut_number();
	return before;
}

bool cps_cut_end(uintptr_t before)
{
	bool was_cut = is_cut;

	frame = before;
	is_cut = false;
	return was_cut;
}

bool cps_cut_is_possible(const ucontext_t *uc)
{
	return frame && cps_regs_is_below(uc, frame) && uc->uc_mcontext.gregs[REG_RAX] > 0 &&
	       cps_regs_is_behind_call(uc);
}

/* A thread may find contexts on its stack that are those of a thread which had this memory before, so
 * each counts in a range of its own. */
void cps_cut_number(void)
{
	enum { RANGE_BITS = 40 };
	static _Atomic uint64_t ranges;
	static __thread uint64_t number;

	if (!number)
		number = (atomic_fetch_add_explicit(&ranges, 1, memory_order_relaxed) + 1)
			 << RANGE_BITS;
	cps_regs_set_number(++number);
}

static bool is_readable(uintptr_t from, uintptr_t to)
{
	return cps_sys_readable(from & ~(uintptr_t)7) && cps_sys_readable(to & ~(uintptr_t)7);
}

/*
 * The context is then also in the memory below the stack pointer, where the kernel had saved it for
 * that handler. A tick that comes while the handler returns looks as if it had ended the call, which
 * that handler's signal had. The number of the call tells whether this context is that of an earlier
 * one. Our own frame is not there, because it is on the alternate stack. If it is there, or if the
 * target's handler was on that stack, nothing is found.
 */
bool cps_cut_was_returned_to(const ucontext_t *uc)
{
	static const int same[] = {REG_RIP, REG_RSP, REG_RAX, REG_RBX,
				   REG_RBP, REG_RSI, REG_RDI, REG_RDX};
	uintptr_t state = 0;
	const ucontext_t *old = (const ucontext_t *)cps_regs_place_of_context(
		uc, cps_regs_interrupted_sp(uc) - CPS_RED_ZONE, &state);
	uint64_t number = old ? cps_regs_number(uc->uc_mcontext.fpregs) : 0;

	/* The two lie in a frame that is smaller than a page. */
	if (!number || old == uc ||
	    !is_readable((uintptr_t)old, state + sizeof(struct _libc_fpstate) - 1) ||
	    cps_regs_number((const struct _libc_fpstate *)state) != number)
		return false;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (old->uc_mcontext.gregs[same[i]] != uc->uc_mcontext.gregs[same[i]])
			return false;
	return true;
}

void cps_cut_note(void)
{
	is_cut = true;
}
