/* SPDX-License-Identifier: MIT */
/*
 * cut.h - tells a wrapped call whether a tick has cut it short.
 *
 * Calls such as write(2) transfer a part of what they are asked for when a signal arrives, and
 * return how much (signal(7)). The handler notices this from the saved registers. It counts only if
 * no other signal is pending, because the call would have been cut without us then
 * (doc/decisions/0010).
 */
#ifndef CPS_CUT_H
#define CPS_CUT_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "unwind/regs.h"

/* Of the calling thread. The functions below are inline because each read and write of the target's
 * calls them. */
struct cps_cut_state {
	uintptr_t frame; /* of the innermost wrapper; 0: there is none */
	uint64_t number; /* of the last wrapped call; 0: there was none */
	bool is_cut;
};

extern __thread struct cps_cut_state cps_cut_state;

/* [signal] */
void cps_cut_begin_numbers(void);

/* [signal] To be called before a wrapped call is made, each time: gives it a number, by which
 * cps_cut_was_returned_to knows it. */
static inline void cps_cut_number(void)
{
	if (__builtin_expect(!cps_cut_state.number, 0))
		cps_cut_begin_numbers();
	cps_regs_set_number(++cps_cut_state.number);
}

/* [signal] To be called by a function, whose frame is `frame`, before it makes a call that a tick may
 * cut short. Returns the frame that was set before, for cps_cut_end. */
static inline uintptr_t cps_cut_begin(uintptr_t frame)
{
	uintptr_t before = cps_cut_state.frame;

	cps_cut_state.frame = frame;
	cps_cut_state.is_cut = false;
	cps_cut_number();
	return before;
}

/* [signal] To be called after that call: whether a tick has met its end. */
static inline bool cps_cut_end(uintptr_t before)
{
	bool was_cut = cps_cut_state.is_cut;

	cps_cut_state.frame = before;
	cps_cut_state.is_cut = false;
	return was_cut;
}

/* [signal] For the handler: whether this is the end of a call that was announced by cps_cut_begin
 * and has transferred something. A call that a handler of the target's makes is not meant. */
bool cps_cut_is_possible(const ucontext_t *uc);

/* [signal] For the handler: whether a handler of the target's has just returned to the end of a call
 * that has a number. It is that handler's signal which has ended the call. */
bool cps_cut_was_returned_to(const ucontext_t *uc);

/* [signal] The same for a call that has no number. It may also be that the handler had returned to an
 * earlier one, made at the same place with the same arguments. */
bool cps_cut_may_be_returned_to(const ucontext_t *uc);

/* [signal] For the handler, if neither that is so nor another signal is pending: the call was cut by
 * a tick. */
void cps_cut_note(void);

#endif
