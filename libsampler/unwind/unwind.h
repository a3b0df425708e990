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

#define CPS_UNWIND_LEAST 8192u /* so many frames are walked however long it takes */

/*
 * [signal] Fill the stack, whose frames, room and trail must be set. Frames of the trail that are
 * unchanged are not walked again (trail.h). A walk ends at the time `until`; if the trail has an
 * outer end that is unchanged, this takes the place of what was not walked. The innermost address is the pc of regs. The address of
 * a calling frame lies inside its call instruction, and a frame that a signal interrupted has its
 * exact pc. Frames of the recorder itself are left out, and the innermost ones in stack->outside. Of `bounds` only low and high
 * count.
 */
void cps_unwind(const struct cps_regs *regs, const struct cps_peek *bounds,
		struct cps_stack *stack);

#endif
