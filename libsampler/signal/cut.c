/* SPDX-License-Identifier: MIT */
/*
 * cut.c - keeps what the handler has seen of the call that its thread is in.
 *
 * In: frames of wrapped calls, contexts of ticks. Out: whether a call was cut short. If a call is
 * left by longjmp its frame stays, which does no harm: the next call sets its own.
 */
#include <signal.h>
#include <stddef.h>

#include "base/sys.h"
#include "signal/cut.h"
#include "unwind/regs.h"
#include "base/poison.h"

/* The kernel's frame for a handler is larger than this, and the frames of the few functions of the
 * C library between a wrapper and its system call are smaller. */
#define NEAR_BYTES 1024

static __thread uintptr_t frame; /* of the innermost wrapper; 0: there is none */
static __thread bool is_cut;

uintptr_t cps_cut_begin(uintptr_t now)
{
	uintptr_t before = frame;

	frame = now;
	is_cut = false;
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
	return frame && frame - (uintptr_t)uc->uc_mcontext.gregs[REG_RSP] < NEAR_BYTES &&
	       uc->uc_mcontext.gregs[REG_RAX] > 0 && cps_regs_is_behind_call(uc);
}

/*
 * The context is then also in the memory below the stack pointer, where the kernel had saved it for
 * that handler. A tick that comes while the handler returns looks as if it had ended the call, which
 * that handler's signal had. Our own frame is not there, because it is on the alternate stack. If it
 * is there, or if the target's handler was on that stack, nothing is found.
 */
bool cps_cut_was_returned_to(const ucontext_t *uc)
{
	static const int same[] = {REG_RIP, REG_RSP, REG_RAX, REG_RBX,
				   REG_RBP, REG_RSI, REG_RDI, REG_RDX};
	const ucontext_t *old = (const ucontext_t *)cps_regs_place_of_context(uc);

	if (!old || old == uc || !cps_sys_readable((uintptr_t)&old->uc_mcontext.gregs[REG_R8]) ||
	    !cps_sys_readable((uintptr_t)&old->uc_mcontext.gregs[REG_RIP]))
		return false;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (old->uc_mcontext.gregs[same[i]] != uc->uc_mcontext.gregs[same[i]])
			return false;
	/* It must not be found again. The mask of signals is not an address. */
	CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &old->uc_mcontext.gregs[REG_RIP], 8);
	return true;
}

void cps_cut_note(void)
{
	is_cut = true;
}
