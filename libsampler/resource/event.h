/* SPDX-License-Identifier: MIT */
/*
 * event.h - samples the stack of a call that the target has just made.
 */
#ifndef CPS_EVENT_H
#define CPS_EVENT_H

#include <stdint.h>

#include "stream/recording.h"

/* [signal] To be called by a wrapper, not in our handler: sample the calling function with so many gticks of the
 * resource, in this state, as cps_resource_sample_in, _block and _outside say. Frames of the recorder are left
 * out. errno stays as it is. All signals are blocked meanwhile. Nothing is recorded while recording is
 * paused; if it cannot be, a loss is counted, and the gticks are due with the thread's next sample of the resource.
 * Returns whether there is a sample. */
bool cps_event_take(uint32_t number, uint32_t state, uint64_t gticks, uint64_t leaf, uint64_t block,
		    const struct cps_code_range *outside);

/* [signal] To be called by a wrapper, for other work of the recorder's: call f(argument) on a stack of the recorder's, with
 * all signals blocked. False: that cannot be now, and f was not called. */
bool cps_event_call(void (*f)(void *), void *argument);

#endif
