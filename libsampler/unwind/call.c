/* SPDX-License-Identifier: MIT */
/*
 * call.c - looks for a call instruction before an address.
 *
 * In: an address, the code before it, and the frame that it was found in. Out: whether it may be a return
 * address.
 *
 * Order: each word of `calls` is an address by itself.
 */
#include <stdatomic.h>

#include "unwind/call.h"
#include "unwind/module.h"
#include "unwind/regs.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

#define BITS	  10
#define FRAME_MAX (1u << 20) /* bytes of a frame on a stack whose bounds are not known */

/* Addresses that were seen to follow a call. To read code that is not part of a module takes a
 * system call. */
static _Atomic uint64_t calls[1u << BITS];

bool cps_call_comes_before(uint64_t ra)
{
	_Atomic uint64_t *known = &calls[ra * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
	uint8_t before[CPS_REGS_CALL_BYTES];

	if (ra < 4096)
		return false;
	if (atomic_load_explicit(known, memory_order_relaxed) == ra)
		return true;
	if (!cps_module_copy(before, ra - sizeof(before), sizeof(before)) ||
	    !cps_regs_is_call(before + sizeof(before)))
		return false;
	atomic_store_explicit(known, ra, memory_order_relaxed);
	return true;
}

bool cps_call_returns(uint64_t ra, const struct cps_call_chain *chain)
{
	uint64_t high = chain->high ? chain->high : chain->fp + FRAME_MAX;
	bool holds = chain->next > chain->fp && chain->next < high && !(chain->next & 7);

	return (holds && cps_unlisted_is_code(ra - 1)) || cps_call_comes_before(ra);
}
