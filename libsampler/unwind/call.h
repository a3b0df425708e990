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

#endif
