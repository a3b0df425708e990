/* SPDX-License-Identifier: MIT */
/*
 * pace.h - how often the journal's file is written to, so that a slow file does not slow the target.
 *
 * When a btrfs is full, or a quota of it is used up, it first writes all out and waits, 10 ms or more,
 * for each page that is written to after it was written out, even if it overwrites the page in place
 * then. A target that waited so at each sample came to a hundredth of its speed. So stores are timed
 * on file systems that copy on write, and after slow ones the file rests (doc/decisions/0043).
 */
#ifndef CPS_PACE_H
#define CPS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* [signal] A file begins. Unless it copies on write, its stores are not timed, and it never rests. */
void cps_pace_reset(bool copies_on_write);

/* [signal] Whether nothing is to be written now. */
bool cps_pace_rests(void);

/* [signal] Stores begin. The result is for cps_pace_end. */
uint64_t cps_pace_begin(void);

/* [signal] Stores have ended. Returns for how many milliseconds the file rests from now on. */
uint32_t cps_pace_end(uint64_t begin);

#endif
