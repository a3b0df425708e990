/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - from the registers of one frame to the call stack.
 */
#ifndef CPS_UNWIND_H
#define CPS_UNWIND_H

#include <stdint.h>

#include "format.h"
#include "peek.h"
#include "regs.h"

struct cps_stack {
	uint64_t *frames; /* innermost first */
	uint32_t room;	  /* frames that fit; more than that and the middle is left out */
	uint32_t depth;
	uint32_t mark; /* enum cps_mark */
};

/*
 * [signal] Fill the stack. The innermost address is regs' pc; that of a calling frame lies inside
 * its call instruction; a frame that a signal interrupted has its exact pc. Frames of the
 * recorder itself are left out.
 */
void cps_unwind(const struct cps_regs *regs, struct cps_peek *peek, struct cps_stack *stack);

#endif
