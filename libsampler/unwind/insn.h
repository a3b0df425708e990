/* SPDX-License-Identifier: MIT */
/*
 * insn.h - reads machine instructions where they lie.
 */
#ifndef CPS_INSN_H
#define CPS_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* ---- insn ------------------------------------------------------------------------------------ */
/*
 * Reads machine instructions where they lie.
 */

/* A copy of some code. */
struct cps_insn_window {
	uintptr_t at;
	size_t n; /* 0: none yet */
	uint8_t bytes[64];
};

/* [signal] The instruction at this address. False: it cannot be read, or is unknown. */
bool cps_insn_at(struct cps_insn_window *w, uintptr_t pc, struct cps_insn *insn);

/* [signal] Whether it calls a function that traps at once, such as Go's runtime.abort, so that nothing
 * comes after it. */
bool cps_insn_is_fatal_call(const struct cps_insn *insn);

/* [signal] The number of a system call that has just ended: pc is behind its instruction. -1: it is not known, since the
 * instructions before do not say, or no more. */
int cps_insn_call_number(const struct cps_regs *regs);

/* ---- call ------------------------------------------------------------------------------------ */
/*
 * Tells return addresses from other numbers.
 */

/* [signal] Whether there is a call instruction before this address, so that it may be a return
 * address. */
bool cps_call_comes_before(uint64_t ra);

/* Where a frame pointer leads: the frame at `fp` has saved `next` for its caller. */
struct cps_call_chain {
	uint64_t fp, next;
	uint64_t high; /* the end of the stack; 0: not known */
};

/* [signal] Whether the frame may return to this address. Generated code may be returned to where no call
 * is: Java's interpreter pushes the return address itself. Nothing but the chain of frame pointers speaks for
 * such an address, so the caller's frame has to lie further up the same stack. */
bool cps_call_returns(uint64_t ra, const struct cps_call_chain *chain);

#endif
