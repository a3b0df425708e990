/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - where threads are while they do not run.
 */
#ifndef CPS_OFF_CPU_H
#define CPS_OFF_CPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "resource/state.h"
#include "signal/sample.h"
#include "stream/recording.h"
#include "stream/thread.h"

/* ---- sleeper --------------------------------------------------------------------------------- */
/*
 * Credits a thread that is blocked to where it is, from another thread.
 */

/* [signal] The calling thread, whose `sleep` this is, may be blocked from now on in a call that the function with these
 * registers makes; and is not any more. */
void cps_sleeper_note(struct cps_sleep *sleep, uint32_t state, uint64_t since, uint64_t leaf,
		      const uint64_t regs[CPS_REGS_KEPT]);
/* [signal] */
void cps_sleeper_forget(struct cps_sleep *sleep);

/* [signal] Whether a call that the thread has noted was made further up the stack than at `sp`: a handler of
 * the target's has interrupted it. (Or was left by longjmp from further down, until the next tick.) */
bool cps_sleeper_encloses(const struct cps_sleep *sleep, uintptr_t sp);

/* [signal] In our handler: whether the interrupted code is not part of a call that the calling thread has noted. One
 * that was left by longjmp, or is interrupted by a handler of the target's, is forgotten. */
bool cps_sleeper_is_left(struct cps_sleep *sleep, const ucontext_t *context);

/* [signal] Copy what a thread has noted. False: it is not blocked. */
bool cps_sleeper_read(const struct cps_sleep *sleep, struct cps_sleep *copy);

/* [signal] Credit the thread as a call of `credit->leaf` by the function with the registers of the copy of `sleep`, if it
 * is still in that call. False: it is not, or a loss was counted. */
bool cps_sleeper_take(struct cps_thread *t, const struct cps_sleep *sleep,
		      const struct cps_sleep *copy, const struct cps_credit *credit);

/* [signal] Credit the thread without a place (cps_sample_add_not_sampled). */
bool cps_sleeper_take_nowhere(struct cps_thread *t, const struct cps_credit *credit);

/* [signal] Whether so much time is worth a recording, if there is none yet. */
bool cps_sleeper_is_worth(uint64_t ns);

/* ---- blocking -------------------------------------------------------------------------------- */
/*
 * Tells the resources that want to know of it when a wrapped call may block its thread.
 */

/* Who wants to know. */
enum {
	CPS_BLOCKING_REAL = 1,	   /* off_cpu.h */
	CPS_BLOCKING_SWITCHES = 2, /* switches.h */
	CPS_BLOCKING_LASTED = 4,   /* switches.h needs to know how long it lasts */
};

/* A call that may block, until it returns to the target. */
struct cps_blocking_call {
	struct cps_thread *thread; /* NULL: nobody counts it */
	uint64_t since, leaf;
	uint32_t state; /* enum cps_off_cpu_state */
	uint32_t who;	/* was told that it begins */
	uint32_t noted; /* for whom the thread tells of it, and not of one that encloses it */
};

extern _Atomic uint32_t cps_blocking_watchers; /* Order: cps_blocking_enter acquires it */

/* [signal] Whether anybody does. */
static inline bool cps_blocking_is_watched(void)
{
	return __builtin_expect(
		atomic_load_explicit(&cps_blocking_watchers, memory_order_relaxed) != 0, 0);
}

/* [signal] From now on these want to know, or do not any more. */
void cps_blocking_watch(uint32_t who);
/* [signal] */
void cps_blocking_ignore(uint32_t who);

/* [signal] A call begins in the function with these registers. errno stays as it is. */
void cps_blocking_enter(void *call, const uint64_t regs[CPS_REGS_KEPT]);

/* [signal] It ends. What it has cost is credited to the function's caller, as a call of `leaf`. errno stays as it is. */
void cps_blocking_leave(const struct cps_blocking_call *call);

/* [signal] The first two in a wrapper: `leaf` is the address of the real function. */
static inline __attribute__((always_inline)) void cps_blocking_begin(struct cps_blocking_call *call)
{
	if (cps_blocking_is_watched())
		cps_regs_with_kept(cps_blocking_enter, call);
}

/* [signal] */
static inline __attribute__((always_inline)) void
cps_blocking_end(const struct cps_blocking_call *call)
{
	if (__builtin_expect(call->thread != NULL, 0))
		cps_blocking_leave(call);
}

/* Declares in a wrapper that what follows may block in the real function. */
#define CPS_BLOCKS_IN(state, leaf)                                                                 \
	__attribute__((cleanup(cps_blocking_end), unused)) struct cps_blocking_call blocks_ = {    \
		NULL, 0, (uintptr_t)(leaf), state, 0, 0};                                          \
	cps_blocking_begin(&blocks_)

/* ---- off cpu --------------------------------------------------------------------------------- */
/*
 * The time of threads in which they do not run, and where they are blocked.
 *
 * The time of a thread is the sum of its CPU time, which a clock credits; the time in which calls
 * that are wrapped have blocked it, which is credited to these calls when they return; and all
 * other time off the CPU, in which it was `stalled`: it waited for a page, or was blocked in a call
 * that is not wrapped. That is credited at the thread's next tick, to where it is then. Of both,
 * what the kernel says that the thread was ready to run and had no processor is `ready`. The kernel
 * has only a sum, and is asked for it where a sample is weighed (doc/decisions/0104).
 *
 * A call takes CPU time, too. What was blocked of its time is found at its end: no more than the
 * call has lasted, and no more than the thread's time off the CPU that nobody was credited with. So
 * the sum is exact, and if the thread was off the CPU before the call, no more than the call's own
 * CPU time is mistaken. The thread's CPU clock is asked only if the call has lasted for so long
 * that this cannot cost much; time off the CPU in shorter calls is `stalled`.
 *
 * While it is blocked, a thread tells where, so that another one can credit it: one that never
 * returns from a call is never woken.
 */

/* The states of `real`, in the order of its atoms. */
enum cps_off_cpu_state {
	CPS_STALLED,
	CPS_READY,
	CPS_IO,	  /* of files and sockets */
	CPS_LOCK, /* that another thread holds */
	CPS_WAIT, /* for events, other threads, processes, time */
	CPS_OFF_CPU_STATES
};

/* [signal] Count from now on; and no more. All threads that there are begin now. */
int cps_off_cpu_start(uint32_t number);
/* [signal] */
void cps_off_cpu_stop(void);

/* [outside] Another recording begins in the process. */
void cps_off_cpu_reset(void);

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
