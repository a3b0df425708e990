/* SPDX-License-Identifier: MIT */
/*
 * blocking.h - tells the resources that want to know of it when a wrapped call may block its thread.
 */
#ifndef CPS_BLOCKING_H
#define CPS_BLOCKING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/thread.h"
#include "unwind/regs.h"

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

extern _Atomic uint32_t cps_blocking_watchers;

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

#endif
