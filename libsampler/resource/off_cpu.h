/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - the time of threads in which they do not run, and where they are blocked.
 *
 * The time of a thread is the sum of its CPU time, which a clock credits; the time in which calls that
 * are wrapped have blocked it, which is credited to these calls when they return; and all other time
 * off the CPU, in which it was `stalled`: it waited for a processor or a page, or was blocked in a call
 * that is not wrapped. That is credited at the thread's next tick, to where it is then.
 *
 * A call takes CPU time, too. What was blocked of its time is found at its end: no more than the call has
 * lasted, and no more than the thread's time off the CPU that nobody was credited with. So the sum is
 * exact, and if the thread was off the CPU before the call, no more than the call's own CPU time
 * is mistaken. The thread's CPU clock is asked only if the call has lasted for so long that this cannot
 * cost much; time off the CPU in shorter calls is `stalled`.
 *
 * While it is blocked, a thread tells where, so that another one can credit it: one that never returns from
 * a call is never woken.
 */
#ifndef CPS_OFF_CPU_H
#define CPS_OFF_CPU_H

#include <stdint.h>

#include "resource/blocking.h"
#include "signal/sample.h"

/* The states of `real`, in the order of its atoms. */
enum cps_off_cpu_state {
	CPS_STALLED,
	CPS_IO,	  /* of files and sockets */
	CPS_LOCK, /* that another thread holds */
	CPS_WAIT, /* for events, other threads, processes, time */
	CPS_OFF_CPU_STATES
};

/* [signal] A call begins in the function with these registers, at call->since. */
void cps_off_cpu_enter(struct cps_blocking_call *call, const uint64_t regs[CPS_REGS_KEPT]);

/* [signal] It ends. Returns with how many gticks of `real` the function's caller is to be credited, as a call of `leaf`.
 * errno stays as it is. */
uint64_t cps_off_cpu_leave(const struct cps_blocking_call *call);

/* [signal] Count from now on; and no more. All threads that there are begin now. */
int cps_off_cpu_start(uint32_t number);
/* [signal] */
void cps_off_cpu_stop(void);

/* [signal] The thread begins; or another one, which ends, is credited with what it is due. */
void cps_off_cpu_arm(struct cps_thread *t);
/* [signal] */
void cps_off_cpu_disarm(struct cps_thread *t);

/* [signal] The recording ends or is paused: credit what the thread, which may be any, is due. If it is blocked, to
 * where it is. */
void cps_off_cpu_credit_rest(struct cps_thread *t);

/* [signal] Whether the process, whose threads have lived for so long and used so much CPU time, has waited for long. */
bool cps_off_cpu_is_worth(uint64_t counted, uint64_t cpu_ns);

/* [signal] The time of the thread's life that was counted since this was asked for the last time, in ns. */
uint64_t cps_off_cpu_take_counted(struct cps_thread *t);

#endif
