/* SPDX-License-Identifier: MIT */
/*
 * lock_word.h - a word that tells how many wait for an object, and for how long.
 *
 * The number of waiters is in its upper 12 bits, and below these is the sum, modulo 2^52, of the times in ns since when
 * they wait, or since when their waiting was last blamed on somebody. Times are of cps_moment_ns.
 *
 * Order: there is one word, which is exchanged as a whole.
 */
#ifndef CPS_LOCK_WORD_H
#define CPS_LOCK_WORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic uint64_t cps_lock_word;

#define CPS_LOCK_WORD_SHIFT 52

/* [signal] Whether anybody waits. */
static inline bool cps_lock_word_has_waiters(const cps_lock_word *w)
{
	return atomic_load_explicit(w, memory_order_relaxed) >> CPS_LOCK_WORD_SHIFT;
}

/* [signal] One more waits from now on; and one less. With 4,095 waiters no more are counted. Subtracting more than were
 * added does nothing. */
void cps_lock_word_add(cps_lock_word *w, uint64_t now);
/* [signal] */
void cps_lock_word_subtract(cps_lock_word *w, uint64_t now);

/* [signal] Returns what the waiters have waited that was not blamed on anybody yet, in ns. Now it was. */
uint64_t cps_lock_word_blame(cps_lock_word *w, uint64_t now);

#endif
