/* SPDX-License-Identifier: MIT */
/*
 * call.h - tells return addresses from other numbers.
 */
#ifndef CPS_CALL_H
#define CPS_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] Whether there is a call instruction before this address, so that it may be a return
 * address. */
bool cps_call_comes_before(uint64_t ra);

/* Where a frame pointer leads: the frame at `fp` has saved `next` for its caller. */
struct cps_call_chain {
	uint64_t fp, next;
	uint64_t high; /* the end of the stack; 0: not known */
};

/* [signal] Whether the frame may return to this address. Generated code may be returned to where no call
 * is: Java's interpreter pushes the return address itself. Nothing but the chain of frame pointers speaks for
 * such an address, so the caller's frame has to lie further up the same stack. */
bool cps_call_returns(uint64_t ra, const struct cps_call_chain *chain);

#endif
