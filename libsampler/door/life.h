/* SPDX-License-Identifier: MIT */
/*
 * life.h - a recording through the life of its process: birth, fork, exec, end.
 *
 * Every function does nothing in a process that is not recorded, a child that shares its memory
 * with the process that is (vfork) above all.
 */
#ifndef CPS_LIFE_H
#define CPS_LIFE_H

#include <stdbool.h>

#include "clock/clock.h"
#include "door/config.h"
#include "stream/record.h"

/* The process begins; both stay. 0; or -errno: it cannot be recorded, and nothing has been started. */
int cps_life_begin(const struct cps_config *config, struct cps_identity *identity);

/* This is a child with memory of its own, made by fork or its like: it gets a recording of its own. */
void cps_life_child(void);

/* The process is about to become another program, or to be forbidden what we need: the recording
 * ends here. False: there was none. May be called anywhere. */
bool cps_life_leave(enum cps_stop why);

/* It is so: nothing of ours happens in this process any more. */
void cps_life_forget(void);

/* That has failed: the recording goes on. */
void cps_life_return(void);

/* The process ends, or its recording does: once. May be called anywhere, in a signal handler too. */
void cps_life_end(enum cps_stop why);

/* The target wants SIGPROF for itself: if the clock uses it, another one takes over. */
void cps_life_leave_sigprof(void);

/* Ticks give no samples, and what is consumed is not credited, until it is resumed. May be called
 * anywhere. */
void cps_life_pause(const void *context); /* of the signal handler that calls it, or NULL */
void cps_life_resume(void);
/* The one or the other. */
void cps_life_toggle(const void *context);

/* Is this process the one that is recorded? Costs a system call. */
bool cps_life_is_here(void);
/* Is it the one that is or was, not a child of vfork that would change its memory? Likewise. */
bool cps_life_is_own_memory(void);

/* The clock, or NULL if this process is not recorded (any more). */
const struct cps_clock *cps_life_clock(void);

#endif
