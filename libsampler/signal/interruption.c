/* SPDX-License-Identifier: MIT */
/*
 * interruption.c - finds out which system calls our signals have interrupted.
 *
 * In: the context of a signal. Out: a count for the wrappers, or a call that is made again.
 */
#include <stddef.h>
#include <string.h>

#include "base/sys.h"
#include "signal/cut.h"
#include "signal/masked.h"
#include "signal/sample.h"
#include "unwind/regs.h"
#include "base/poison.h"

static __thread uint32_t interruptions;

uint32_t cps_sample_interruptions(void)
{
	return interruptions;
}

uint32_t cps_sample_begin_call(uintptr_t frame)
{
	cps_masked_forget(frame);
	return interruptions;
}

/* Libraries for asynchronous input and output make these calls by instructions of their own, which
 * no wrapper sees. A call that waits for a time from its beginning is left as it is, since the
 * whole time would begin again. */
static bool can_be_made_again(const ucontext_t *uc, int number)
{
	enum { EXT_ARG = 8, ABS_TIMER = 32, OFFSET_TIME = 16 };
	uintptr_t flags = cps_regs_call_argument(uc, 4), more = cps_regs_call_argument(uc, 5), time;

	if (number == SYS_io_getevents || number == SYS_io_pgetevents)
		return !more;
	if (number != SYS_io_uring_enter)
		return false;
	if (!(flags & EXT_ARG) || flags & ABS_TIMER)
		return true;
	if (!cps_sys_readable(more + OFFSET_TIME))
		return false;
	memcpy(&time, (const void *)(more + OFFSET_TIME), sizeof(time));
	return !time;
}

/* If another signal is pending, the call would have been interrupted without us, and does not
 * count. A signal that was handled before ours is not pending any more; but then the kernel lets
 * our signal interrupt that signal's handler, not the call. */
void cps_sample_note_interruption(void *context)
{
	ucontext_t *uc = context;
	uint64_t pending = 0, blocked;
	int number;

	if (!cps_regs_interrupted_call(uc) && !cps_cut_is_possible(uc))
		return;
	if (cps_masked_is_over(uc))
		return;
	memcpy(&blocked, &uc->uc_sigmask, sizeof(blocked));
	blocked |= UINT64_C(1) << (cps_sample_signal() - 1); /* one of our own may be pending */
	if (CPS_SYS(rt_sigpending, &pending, sizeof(pending), 0, 0) != 0 || pending & ~blocked)
		return;
	number = cps_regs_call_number(uc);
	/* A frame of the target's handler may be left from an earlier call at the same place. If a part
	 * then stays a part, that does little harm. An EINTR without a reason would. */
	if (!cps_regs_interrupted_call(uc)) {
		if (!cps_cut_was_returned_to(uc))
			cps_cut_note();
	} else if (can_be_made_again(uc, number)) {
		cps_regs_call_again(uc, number);
	} else {
		interruptions++;
	}
}
