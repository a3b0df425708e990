/* SPDX-License-Identifier: MIT */
/*
 * attach.h - a recording that is begun in a process that runs already.
 *
 * In: cpsample_attach, called by a thread that the launcher has made or stopped (libsampler/attach_area.h). Out: a recording of
 * all threads that there are, until the launcher says that it is over, or is gone. Then all that was taken is given back
 * but the library's own memory, and another recording may be begun.
 *
 * A process of several threads gets one more, the controller, which looks for what the launcher says, and for threads that
 * nobody has announced. A process of one thread gets none, because a second one would turn the C library's short ways for
 * such processes off for ever: its ticks look whether the launcher is gone, and the launcher calls what ends the recording.
 */
#ifndef CPS_ATTACH_H
#define CPS_ATTACH_H

#include <stdbool.h>

#include "clock/clock.h"

/* A line for the user, who is at the launcher's terminal. */
void cps_attach_say(const char *line);

/* Give all threads that there are an entry. 0 or -errno. */
int cps_attach_introduce(const struct cps_clock *clock);

/* A thread that the calling thread is was introduced before it has announced itself: forget that. */
void cps_attach_forget_self(const struct cps_clock *clock);

/* In a child made by fork, which is not recorded. */
void cps_attach_child(void);

/* In the handler: the recording of a process without a controller has ended. */
void cps_attach_ended(void);

#endif
