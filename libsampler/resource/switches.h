/* SPDX-License-Identifier: MIT */
/*
 * switches.h - counts how often threads are put off a processor.
 */
#ifndef CPS_SWITCHES_H
#define CPS_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "resource/off_cpu.h"
#include "resource/state.h"
#include "stream/thread.h"

/* ---- switch records -------------------------------------------------------------------------- */
/*
 * Reads the records that the kernel writes of a thread's switches.
 *
 * Whenever a thread is put off a processor or on one, the kernel's perf subsystem writes a record
 * into a page of the thread's, which says whether somebody else wanted the processor, and which one
 * it is. No signal is sent, which would wake the thread. When the page is full the oldest records
 * are written over.
 */

/* [signal] Whether there are some that were not read yet. */
bool cps_switch_records_are_new(const struct cps_switches *s);

/* [signal] Read those, and add what they tell to *counts. Of some that were written over before, only the number is
 * known; they are taken for preemptions, because a thread that waits is looked at then. */
void cps_switch_records_read(struct cps_switches *s, struct cps_switch_counts *counts);

/* [outside] Whether the calling thread may have records, and the kernel writes any: 0, or -errno and what has failed. */
int cps_switch_records_try(const char **what);

/* ---- switches -------------------------------------------------------------------------------- */
/*
 * How often threads are put off a processor, and on another one.
 *
 * The kernel tells it without a signal, by records (switches.h); where that is not permitted,
 * getrusage(2) tells how often, which is asked after a call that has lasted for so long that the
 * thread may have waited. What happens in a wrapped call is credited to it when it returns. All
 * other switches, which are mostly preemptions, are credited at the thread's next tick, to where it
 * is then: both strike where processors are used. If no clock ticks, they are credited to where the
 * next such call is made.
 *
 * Without records nobody knows whether a wait that passes by the wrappers, such as that for a page,
 * came before a call or in it. It is credited to the call.
 */

/* The states of `switches`, in the order of its atoms. */
enum { CPS_SWITCHES_BLOCKED, CPS_SWITCHES_PREEMPTED, CPS_SWITCHES_STATES };

/* [signal] The calling thread begins a call in the function with these registers, and ends it. errno stays as it is. */
void cps_switches_enter(struct cps_blocking_call *call, const uint64_t regs[CPS_REGS_KEPT]);
/* [signal] False: nothing of it is to be credited; else so many are, of each part of these. */
bool cps_switches_leave(const struct cps_blocking_call *call, struct cps_switch_counts *n);

/* Resource and state of what counts have. */
struct cps_switches_part {
	uint32_t number, state;
};
#define CPS_SWITCHES_PARTS 3
extern const struct cps_switches_part cps_switches_parts[CPS_SWITCHES_PARTS];

/* [signal] Whether what is due to the calling thread need not wait for a tick; and then, until it is NULL, whose turn it is
 * for a sample, with its weight. */
bool cps_switches_are_overdue(const struct cps_switches *s);
/* [signal] */
const struct cps_switches_part *cps_switches_take_due(struct cps_switches *s, uint64_t *weight);

/* [signal] The calling thread has that part of the counts. Returns the weight of a sample; 0: there is none. */
uint64_t cps_switches_pass(int part, const struct cps_switch_counts *n);

/* [outside] Another recording begins in the process. */
void cps_switches_reset(void);

/* [outside] For the fields of struct cps_resource, of both `switches` and `migrations`; what one of them has done
 * need not be done by the other. */
int cps_switches_start(uint64_t interval);
/* [signal] */
void cps_switches_stop(void);
/* [signal] */
void cps_switches_pause(void);
/* [signal] */
void cps_switches_resume(void);
/* [signal] */
void cps_switches_arm(struct cps_thread *t);
/* [signal] */
void cps_switches_disarm(struct cps_thread *t);
/* [signal] */
void cps_switches_credit_rest(struct cps_thread *t);
/* [signal] What getrusage has counted of the process. */
uint64_t cps_switches_counted(uint32_t number);

#endif
