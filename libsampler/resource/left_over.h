/* SPDX-License-Identifier: MIT */
/*
 * left_over.h - what threads were due and could not be credited with before their end.
 *
 * A sample cannot be recorded while another thread creates the recording, or uses all buffers. On a machine that is
 * busy that may last for many milliseconds, which are all of a short thread's life.
 */
#ifndef CPS_LEFT_OVER_H
#define CPS_LEFT_OVER_H

#include <stdint.h>

#include "stream/thread.h"

/* [signal] Credit a thread, which may be any, with this of a resource and with what was kept, at no place. If that
 * cannot be recorded either, all of it is kept for the next one. */
void cps_left_over_credit(struct cps_thread *t, uint32_t number, uint32_t state, uint64_t gticks);

/* [signal] Keep it for the next one; and what is kept. */
void cps_left_over_keep(uint32_t number, uint64_t gticks);
/* [signal] */
uint64_t cps_left_over_kept(uint32_t number);

/* [signal] Keep nothing any more, in a child made by fork. */
void cps_left_over_reset(void);

/* [signal] The thread ends, and has said what it is due of each resource: credit what its points keep. */
void cps_left_over_hand_on(struct cps_thread *t);

#endif
