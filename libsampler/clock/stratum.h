/* SPDX-License-Identifier: MIT */
/*
 * stratum.h - what a stratum of a thread's time promises to its shots, and when these come.
 *
 * clock_strata.c says what strata are.
 */
#ifndef CPS_STRATUM_H
#define CPS_STRATUM_H

#include <stdint.h>

#include "stream/thread.h"

/* [signal] The later one of two moments. */
static inline uint64_t cps_stratum_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* [signal] The instant of a shot in a part that begins then and is so long. */
uint64_t cps_stratum_draw(struct cps_thread *t, uint64_t begin, uint64_t part);

/* [signal] A stratum of this length begins then, when the thread's reading will be `reading` if it goes on
 * running. There is a shot in each interval. */
void cps_stratum_begin(struct cps_thread *t, uint64_t reading, uint64_t begin, uint64_t length,
		       uint64_t interval);

/* [signal] An interval without memory begins at this reading, of this mean length, and ends at that shot. */
void cps_stratum_begin_free(struct cps_thread *t, uint64_t reading, uint64_t shot_at,
			    uint64_t length);

/* [signal] Set the thread's shot: for a moment, or after so long; 0: it does not come. If the thread is held, it comes when
 * the thread is let go. */
void cps_stratum_set_shot(struct cps_thread *t, uint64_t at);
/* [signal] */
void cps_stratum_set_shot_after(struct cps_thread *t, uint64_t ns);

/* [signal] The calling thread makes a call that no shot may come into; and the call is over. A shot whose instant has passed
 * comes then at once. */
void cps_stratum_hold(struct cps_thread *t);
/* [signal] */
void cps_stratum_let_go(struct cps_thread *t);

/* [signal] The first stratum of a thread has begun now. If the thread has taken over much that others have used
 * (tail.c), since several in a row have ended before a shot met them, more shots make it likely that one meets
 * this one. */
void cps_stratum_divide(struct cps_thread *t, uint64_t now, uint64_t reading, uint64_t interval);

#endif
