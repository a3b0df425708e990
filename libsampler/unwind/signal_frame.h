/* SPDX-License-Identifier: MIT */
/*
 * signal_frame.h - reads what the kernel has put on the stack for a handler of signals.
 */
#ifndef CPS_SIGNAL_FRAME_H
#define CPS_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/memory.h"

/* [signal] Get all registers that are saved in the ucontext at this address. False: it cannot be read, and
 * *regs is not set whole. */
bool cps_signal_frame_read(uint64_t context, const struct cps_peek *peek, struct cps_regs *regs);

/* [signal] Where a function returns that has not executed anything yet, or does not change that. False: it cannot be read. */
bool cps_signal_frame_ra_at_entry(const struct cps_regs *regs, const struct cps_peek *peek,
				  uint64_t *ra);

/* [signal] Whether a handler of signals returns to this address. `key_high` is of rows (row.h). */
bool cps_signal_frame_returns_to(uint64_t key_high, uint64_t ra);

/* [signal] Set the registers to those that a handler has interrupted, if they are those of a handler that
 * has not executed anything yet. When the tick comes at once with another signal, the kernel prepares that
 * signal's handler first, and the tick interrupts it before its first instruction. What has used the
 * time is what the handler has interrupted. `key_high` is of rows (row.h). */
bool cps_signal_frame_skip_new(struct cps_regs *regs, uint64_t key_high,
			       const struct cps_peek *peek);

#endif
