/* SPDX-License-Identifier: MIT */
/*
 * frame.h - what can be known on a machine of which only registers are: of the kernel's frame for a handler, where the context is.
 */
#ifndef CPS_GENERIC_FRAME_H
#define CPS_GENERIC_FRAME_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "arch/arch.h"

/* ---- the frame of a signal ------------------------------------------------------------------- */
/*
 * From the stack pointer of the handler up there are siginfo and the context. How it ends is not known, so that it cannot be moved.
 */

/* [signal] The context of a handler that begins with this stack pointer, or has just returned with it. */
static inline uintptr_t cps_regs_handlers_context(uintptr_t sp)
{
	return sp + sizeof(siginfo_t);
}

/* [signal] */
static inline uintptr_t cps_regs_returned_context(uintptr_t sp)
{
	return cps_regs_handlers_context(sp);
}

/* [signal] Whether a handler of signals has been called, and has not executed anything yet. It is stepped out of like any function
 * at its beginning. */
static inline int cps_regs_is_at_handler(const struct cps_regs *regs)
{
	(void)regs;
	return 0;
}

/* [signal] Whether a handler may just have returned with these registers, to code of which nothing is known, as qemu's is. */
static inline int cps_regs_may_be_returned(const struct cps_regs *regs)
{
	return (regs->valid & CPS_REGS_BIT(CPS_REG_SP)) != 0;
}

/* [signal] Where the context at this address has a register. */
static inline uintptr_t cps_regs_saved_at(uintptr_t context, int i)
{
	return cps_regs_in_context((const ucontext_t *)context, i);
}

/* [signal] The stack pointer of the interrupted code, and the end of what is free below it. */
static inline uintptr_t cps_regs_interrupted_sp(const ucontext_t *uc)
{
	return *(const uintptr_t *)cps_regs_in_context(uc, CPS_REG_SP);
}

/* [signal] Where the kernel would put the context on a stack that is free below `top`: not known. */
static inline uintptr_t cps_regs_place_of_context(const ucontext_t *uc, uintptr_t top,
						  uintptr_t *state)
{
	(void)uc;
	(void)top;
	*state = 0;
	return 0;
}

/* [signal] It is not asked for, since no place is known. */
static inline void cps_regs_move_context(const ucontext_t *uc, uintptr_t to)
{
	(void)uc;
	(void)to;
}

/* [signal] Whether what lies above this return address may be the frame that the kernel has made for a handler. Calls are not
 * counted, so that nobody asks. */
static inline int cps_regs_may_be_handler(const uintptr_t *at)
{
	(void)at;
	return 0;
}

/* ---- the system call that a signal has met ---------------------------------------------------- */

#include "arch/generic/call.h"

/* [signal] System calls get no number. */
static inline void cps_regs_set_number(uint64_t number)
{
	(void)number;
}

/* [signal] */
static inline uint64_t cps_regs_number(uintptr_t state)
{
	(void)state;
	return 0;
}

/* [signal] */
static inline uint64_t cps_regs_context_number(const ucontext_t *uc)
{
	(void)uc;
	return 0;
}

#define CPS_REGS_STATE_BYTES 1

/* [signal] Whether two contexts are those of the same moment: no other one is found. */
static inline int cps_regs_is_same(const ucontext_t *a, const ucontext_t *b)
{
	(void)a;
	(void)b;
	return 0;
}

#endif
