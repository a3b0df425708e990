/* SPDX-License-Identifier: MIT */
/*
 * gate.h - decides whether ticks become samples, and how many.
 */
#ifndef CPS_GATE_H
#define CPS_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

/* ---- off switch ------------------------------------------------------------------------------ */
/*
 * A file whose presence turns all recording off.
 */

/* [signal] Set the file's path, which must stay valid. */
void cps_off_switch_set(const char *path);

/* [signal] Whether the file is there now. False, too, if opening files is forbidden. */
bool cps_off_switch_is_on(void);

/* [signal] The same, but looks only once a second, in one of the threads that ask. `now` is the time
 * of cps_moment_ns. Once it was true it stays so. */
bool cps_off_switch_was_seen(uint64_t now);

/* ---- lease ----------------------------------------------------------------------------------- */
/*
 * Ends a recording that was begun from outside when nobody asks for it any more.
 */

/* [signal] From now on another process is to change *beat, which stays valid, before so many ns have passed. NULL: nobody need. */
void cps_lease_begin(const uint64_t *beat, uint64_t ns);

/* [signal] Whether it has not done so. `now` is the time of cps_moment_ns. */
bool cps_lease_is_over(uint64_t now);

/* ---- budget ---------------------------------------------------------------------------------- */
/*
 * Limits what recording takes of a thread's CPU time.
 *
 * Two limits. The work on deep stacks is always bounded: when a thread's samples have taken more
 * than a sixteenth of its time, fewer frames are kept and followed. And if CPSAMPLE_BUDGET is set,
 * fewer samples are taken. Only the thread itself calls these functions, in its handler.
 */

/* [signal] Limit recording to so many millionths of each thread's CPU time; 0: no limit. */
void cps_budget_set(uint32_t millionths);

/* [signal] To be called at a tick, at this time: sets how long the walk of the stack may take. */
void cps_budget_begin(struct cps_thread *t, uint64_t now);

/* [signal] Whether recording has taken more than its share, so that the tick gives no sample. */
bool cps_budget_is_over(const struct cps_thread *t);

/* [signal] To be called after a tick, which found the meter at `reading` and took so much CPU time,
 * with what the kernel took for it. */
void cps_budget_settle(struct cps_thread *t, uint64_t reading, uint64_t took_ns);

/* [signal] An interval of this thread that would be `ns` without a budget. */
static inline uint64_t cps_budget_interval(const struct cps_thread *t, uint64_t ns)
{
	return ns << t->thinner;
}

/* ---- gate ------------------------------------------------------------------------------------ */
/*
 * Decides whether ticks become samples at this moment.
 *
 * The gate is closed before the start, after the end, and in children that have not opened their
 * own. It is paused by the program, by a signal, or by time.
 */

enum cps_verdict {
	CPS_GATE_CLOSED, /* this process is not recorded */
	CPS_GATE_PAUSED, /* until cps_gate_resume */
	CPS_GATE_EARLY,	 /* before `from`: keep ticking */
	CPS_GATE_BEGINS, /* the first tick after `from`; what was used before does not count */
	CPS_GATE_OPEN,
	CPS_GATE_OVER /* after `until` */
};

/* [signal] Open the gate in this process, and in none of its children. False: the kernel cannot
 * guarantee that. */
bool cps_gate_open(void);
/* [signal] */
void cps_gate_close(void);
/* [signal] Open it again with its former state. False: it was never open. */
bool cps_gate_reopen(void);
/* [signal] Whether it is not closed. It may be paused. */
bool cps_gate_is_open(void);

/* [signal] Sample only from one time to another, in ns of CLOCK_MONOTONIC; 0: no such limit. */
void cps_gate_limit(uint64_t from_ns, uint64_t until_ns);
/* [signal] Whether no tick has come yet after `from`. */
bool cps_gate_is_early(void);
/* [signal] Whether `until` has passed. */
bool cps_gate_is_over(void);
/* [signal] */
uint64_t cps_gate_until(void);

/* [signal] Pause and resume. False: it was paused already, or was not paused. */
bool cps_gate_pause(void);
/* [signal] */
bool cps_gate_resume(void);
/* [signal] */
bool cps_gate_is_paused(void);

/* [signal] */
enum cps_verdict cps_gate_verdict(void);

/* [signal] CPU time in ns that the process has used while the gate was open and not paused. *system_ns is the part
 * of it in the kernel, as that counts it. */
uint64_t cps_gate_cpu_ns(uint64_t *system_ns);

#endif
