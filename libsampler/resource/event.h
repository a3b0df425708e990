/* SPDX-License-Identifier: MIT */
/*
 * event.h - samples the stack of a call that the target has just made.
 */
#ifndef CPS_EVENT_H
#define CPS_EVENT_H

#include <stdint.h>

#include "stream/recording.h"

/* [signal] To be called by a wrapper, not in our handler: credit the calling function. Frames of the recorder are left
 * out. errno stays as it is. All signals are blocked meanwhile. Nothing is recorded while recording is
 * paused; if it cannot be, a loss is counted. Returns whether there is a sample. */
bool cps_event_take(const struct cps_credit *credit);

/* [signal] To be called by a wrapper, for other work of the recorder's: call f(argument) on a stack of the recorder's, with
 * all signals blocked. False: that cannot be now, and f was not called. */
bool cps_event_call(void (*f)(void *), void *argument);

#endif
