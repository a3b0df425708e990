/* SPDX-License-Identifier: MIT */
/*
 * unwinder.c - knows which unwinder follows the stacks of samples.
 *
 * In: a choice. Out: that unwinder.
 */
#include <stdatomic.h>

#include "unwind/regs.h"
#include "unwind/unwind.h"
#include "unwind/unwinder.h"
#include "base/poison.h"

static void walk_natively(const ucontext_t *context, const struct cps_peek *bounds,
			  struct cps_stack *stack)
{
	struct cps_regs regs;

	cps_regs_of_context(&regs, context);
	cps_unwind(&regs, bounds, stack);
}

const struct cps_unwinder cps_unwinder_native = {CPS_UNWINDER_NATIVE, walk_natively};

static _Atomic(const struct cps_unwinder *) in_use = &cps_unwinder_native;

void cps_unwinder_use(const struct cps_unwinder *unwinder)
{
	atomic_store(&in_use, unwinder);
}

const struct cps_unwinder *cps_unwinder_in_use(void)
{
	return atomic_load_explicit(&in_use, memory_order_acquire);
}

CPS_REGS_WITH_KEPT;
