/* SPDX-License-Identifier: MIT */
/*
 * caller.h - which of the functions that seem to be active has made a call.
 *
 * That a call is over is seen by its return address, which something else overwrites. But a caller may leave room on its stack that it
 * never writes, before arguments or for an array, and what lies there stays. So the place that a call comes from decides:
 * it lies in the code of the function that has made it, if that one counts its calls.
 */
#ifndef CPS_CALLER_H
#define CPS_CALLER_H

#include <stdint.h>

#include "collector/calls.h"

/* [signal] Find out where the code of the state's function is. `room`: how much of the stack may be used; with too little
 * nothing is found out. */
CPS_HOOK_KEEPS void cps_caller_learn(struct cps_machine *m, struct cps_state *s, uintptr_t room);

/* [signal] Whether the place to which a call returns is known to be in the code of the state's function. */
CPS_HOOK_INLINE bool cps_caller_has(const struct cps_state *s, uintptr_t back)
{
	return s->code_bytes != CPS_MACHINE_ANYWHERE && back - s->code < s->code_bytes;
}

/* [signal] Who has made a call that returns to a place which is not in the code of the latest function, `f`: the latest call above
 * `first` in whose function's code the place is. `f` itself, if none is: a function has called that does not tell of its calls. */
CPS_HOOK_KEEPS struct cps_calls_frame *cps_caller_find(struct cps_machine *m,
						       const struct cps_calls_frame *first,
						       struct cps_calls_frame *f, uintptr_t back);

#endif
