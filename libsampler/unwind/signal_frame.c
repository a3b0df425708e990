/* SPDX-License-Identifier: MIT */
/*
 * signal_frame.c - reads the registers that a handler of signals has interrupted.
 *
 * In: the stack. Out: registers.
 */
#include "unwind/cfi.h"
#include "unwind/row.h"
#include "unwind/signal_frame.h"
#include "base/poison.h"

bool cps_signal_frame_read(uint64_t context, const struct cps_peek *peek, struct cps_regs *regs)
{
	for (int i = 0; i < CPS_REGS; i++)
		if (!cps_peek(peek, cps_regs_saved_at(context, i), &regs->r[i]))
			return false;
	regs->valid = CPS_REGS_ALL;
	return true;
}

bool cps_signal_frame_returns_to(uint64_t key_high, uint64_t ra)
{
	return (cps_row_of(key_high, ra - 1, true) & CPS_ROW_KIND) == CPS_ROW_SIGNAL;
}

bool cps_signal_frame_ra_at_entry(const struct cps_regs *regs, const struct cps_peek *peek,
				  uint64_t *ra)
{
	if (!CPS_REGS_HAS_LINK)
		return cps_peek(peek, regs->r[CPS_REG_SP], ra);
	*ra = cps_regs_strip(regs->r[CPS_REG_RA]);
	return regs->valid & CPS_REGS_BIT(CPS_REG_RA);
}

bool cps_signal_frame_skip_new(struct cps_regs *regs, uint64_t key_high,
			       const struct cps_peek *peek)
{
	uint64_t sp = regs->r[CPS_REG_SP], ra;
	struct cps_regs interrupted;

	if (!cps_regs_is_at_handler(regs) || !cps_signal_frame_ra_at_entry(regs, peek, &ra) ||
	    !cps_signal_frame_returns_to(key_high, ra) ||
	    !cps_signal_frame_read(cps_regs_handlers_context(sp), peek, &interrupted))
		return false;
	*regs = interrupted;
	return true;
}
