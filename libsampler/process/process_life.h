/* SPDX-License-Identifier: MIT */
/*
 * process_life.h - starts, hands over, interrupts and ends the recording of a process.
 *
 * Every function does nothing in a process that is not recorded. A child of vfork is such a
 * process: it shares its memory with the process that is recorded.
 */
#ifndef CPS_PROCESS_LIFE_H
#define CPS_PROCESS_LIFE_H

#include <stdbool.h>

#include "clock/clock.h"
#include "process/config.h"
#include "stream/record.h"

/* Begin to record the process. Both arguments must stay valid. 0; or -errno: it cannot be recorded,
 * and nothing was started. */
int cps_process_life_begin(const struct cps_config *config, struct cps_identity *identity);

/* To be called before a process is recorded again, whose recording has ended for good. */
void cps_process_life_again(void);

/* To be called in a child with memory of its own, made by fork or the like: begin its own
 * recording. */
void cps_process_life_child(void);

/* To be called when the process is about to become another program, or to be forbidden system calls
 * that the recorder needs: end the recording. False: there was none. May be called anywhere. */
bool cps_process_life_leave(enum cps_stop why);

/* Let the signal of this number pause and resume the recording; 0: none does. 0 or -errno. */
int cps_process_life_prepare_control(int toggle_signal);

/* That has happened: do nothing in this process any more. */
void cps_process_life_forget(void);

/* That has failed: continue the recording. */
void cps_process_life_return(void);

/* End the recording, once: the process ends, or something else ends it. May be called anywhere, in
 * a signal handler too. */
void cps_process_life_end(enum cps_stop why);

/* [outside] The process may end without another call that is wrapped. If no tick has met it, begin the recording with what it has
 * used. Otherwise credit what this thread has used since its last sample. */
void cps_process_life_may_end(void);

/* The target wants SIGPROF for itself: if the clock uses it, change to another clock. */
void cps_process_life_give_up_sigprof(void);

/* Whether this process is the one that is recorded. Costs a system call. */
bool cps_process_life_is_recorded(void);

/* The clock; NULL if this process is not recorded, or not any more. */
const struct cps_clock *cps_process_life_clock(void);

#endif
