/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - from the registers of one frame to the call stack.
 */
#ifndef CPS_UNWIND_H
#define CPS_UNWIND_H

#include <stdint.h>

#include "unwind/peek.h"
#include "unwind/regs.h"
#include "unwind/trail.h"

/*
 * [signal] Fill the stack: its frames, room and trail are set. Of the trail, the stack of a sample
 * before, what is still so is not walked again (trail.h). The innermost address is regs' pc; that of a calling frame lies inside
 * its call instruction; a frame that a signal interrupted has its exact pc. Frames of the
 * recorder itself are left out.
 */
void cps_unwind(const struct cps_regs *regs, struct cps_peek *peek, struct cps_stack *stack);

#endif
