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
 * [signal] Fill the stack, whose frames, room and trail must be set. Frames of the trail that are
 * unchanged are not walked again (trail.h). The innermost address is the pc of regs. The address of
 * a calling frame lies inside its call instruction, and a frame that a signal interrupted has its
 * exact pc. Frames of the recorder itself are left out.
 */
void cps_unwind(const struct cps_regs *regs, struct cps_peek *peek, struct cps_stack *stack);

#endif
