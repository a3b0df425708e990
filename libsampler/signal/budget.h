/* SPDX-License-Identifier: MIT */
/*
 * budget.h - limits what recording takes of a thread's CPU time.
 *
 * Two limits. The work on deep stacks is always bounded: when a thread's samples have taken more
 * than a sixteenth of its time, fewer frames are kept and followed. And if CPSAMPLE_BUDGET is set,
 * fewer samples are taken. Only the thread itself calls these functions, in its handler.
 */
#ifndef CPS_BUDGET_H
#define CPS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"

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

#endif
