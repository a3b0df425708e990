/* SPDX-License-Identifier: MIT */
/*
 * displaced.h - tells calls that our handler was not in its place for a moment.
 *
 * The first call of pthread_cancel installs the C library's handler for the signal that our ticks have. A tick that comes
 * before ours is back ends poll and the like, and nobody counts it. Whatever interrupts a call then is taken for a tick:
 * a signal of the target's is overlooked, but only if it comes in this moment, once in the life of a process.
 */
#ifndef CPS_DISPLACED_H
#define CPS_DISPLACED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint32_t cps_displaced_changes;

/* [signal] Our handler may be replaced from now on; it is back. A moment that has no end is over after a second. */
void cps_displaced_begin(void);
/* [signal] */
void cps_displaced_end(void);

/* [signal] For cps_displaced_since: when a call begins. */
static inline uint32_t cps_displaced_now(void)
{
	return atomic_load_explicit(&cps_displaced_changes, memory_order_relaxed);
}

/* [signal] Whether it has been replaced since then. */
bool cps_displaced_since(uint32_t then);

#endif
