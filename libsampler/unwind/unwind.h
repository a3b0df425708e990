/* SPDX-License-Identifier: MIT */
/*
 * unwind.h - walks the stack, by the unwinder that was chosen.
 */
#ifndef CPS_UNWIND_H
#define CPS_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "unwind/trail.h"

/* ---- unwinder -------------------------------------------------------------------------------- */
/*
 * The seam between a sample and the unwinder that follows its stack.
 *
 * There are two: the recorder's own (unwind.h), and libunwind (libunwind.h). One of them is chosen
 * before the first sample (doc/decisions/0066).
 */

#define CPS_UNWINDER_NATIVE "native"

struct cps_unwinder {
	const char *name; /* as CPSAMPLE_UNWINDER has it */
	/* [signal] Fill the stack, as cps_unwind does, from the frame that a signal has interrupted. With
	 * depth 0 and is_busy the unwinder is at work in another thread, and cannot be waited for. */
	void (*walk)(const ucontext_t *context, const struct cps_peek *bounds,
		     struct cps_stack *stack);
};

/* [signal] */
extern const struct cps_unwinder cps_unwinder_native;

/* [signal] Choose the unwinder of the samples to come. It must stay valid. */
void cps_unwinder_use(const struct cps_unwinder *unwinder);

/* [signal] The one that is chosen; at first it is the native one. */
const struct cps_unwinder *cps_unwinder_in_use(void);

/* ---- unwind ---------------------------------------------------------------------------------- */
/*
 * From the registers of one frame to the call stack.
 */

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
