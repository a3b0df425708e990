/* SPDX-License-Identifier: MIT */
/*
 * clock_timer.h - timers of the kernel on CPU clocks, of each thread or of the whole process.
 */
#ifndef CPS_CLOCK_TIMER_H
#define CPS_CLOCK_TIMER_H

#include <stdint.h>
#include <time.h>

/* ---- posix timer ----------------------------------------------------------------------------- */

/* [signal] Make a timer on a clock, which sends `number` with the value. The signal is for the thread
 * `tid` or, with 0, for the process. 0 or -errno. */
int cps_posix_timer_create(clockid_t clock, int tid, int number, uint64_t value, int *timer);

/* [signal] Let it come after so many ns, and then every `every_ns` (0: only once). With TIMER_ABSTIME
 * `ns` is a time of its clock. 0 or -errno. */
int cps_posix_timer_set(int timer, int flags, uint64_t ns, uint64_t every_ns);

/* [signal] Let it not come, and return after how many ns it would have; 0: it was not set. */
uint64_t cps_posix_timer_stop(int timer);

/* [signal] */
void cps_posix_timer_delete(int timer);

#endif
