/* SPDX-License-Identifier: MIT */
/*
 * unwinder.h - the seam between a sample and the unwinder that follows its stack.
 *
 * There are two: the recorder's own (unwind.h), and libunwind (libunwind.h). One of them is chosen
 * before the first sample (doc/decisions/0066).
 */
#ifndef CPS_UNWINDER_H
#define CPS_UNWINDER_H

#include <stdbool.h>
#include <ucontext.h>

#include "unwind/peek.h"
#include "unwind/trail.h"

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

#endif
