/* SPDX-License-Identifier: MIT */
/*
 * call.h - the system call that a signal has met, on machines whose kernel leaves all registers as they were but one.
 *
 * That one was the first argument and has the result. Nothing else says that a call was made, so that the instruction before pc is
 * looked at. regs.h says where the first argument and the number are, and what the instruction is.
 */
#ifndef CPS_GENERIC_CALL_H
#define CPS_GENERIC_CALL_H

#include <stdint.h>
#include <ucontext.h>

#include "arch/arch.h"

/* [signal] */
static inline uint64_t *cps_regs_in_call(const ucontext_t *uc, int reg)
{
	return (uint64_t *)cps_regs_saved_at((uintptr_t)uc, reg);
}

/* [signal] Half of an instruction, which need not be there, or may be one that can only be executed. 0: it cannot be read. */
static inline uint32_t cps_regs_half_at(uintptr_t at)
{
	return at & 1 || !cps_sys_readable(at & ~(uintptr_t)7) ? 0 : *(const volatile uint16_t *)at;
}

/* [signal] Whether the instruction there is a system call. */
static inline int cps_regs_is_call_code(uintptr_t pc)
{
	return cps_regs_half_at(pc) == (CPS_REGS_CALL_CODE & 0xffff) &&
	       cps_regs_half_at(pc + 2) == CPS_REGS_CALL_CODE >> 16;
}

/* [signal] Where the interrupted code goes on. */
static inline uintptr_t cps_regs_pc(const ucontext_t *uc)
{
	return *cps_regs_in_call(uc, CPS_REG_PC);
}

/* [signal] Whether a signal may have come at the end of a system call: pc is behind the call's instruction. */
static inline int cps_regs_is_behind_call(const ucontext_t *uc)
{
	return cps_regs_is_call_code(cps_regs_pc(uc) - 4);
}

/* [signal] Whether a signal has come when the thread went back from a system call, or is to make it again. Nothing says that
 * for free. */
static inline int cps_regs_is_from_call(const ucontext_t *uc)
{
	(void)uc;
	return 0;
}

/* [signal] Its result. */
static inline long cps_regs_call_result(const ucontext_t *uc)
{
	return (long)*cps_regs_in_call(uc, CPS_REG_CALL_FIRST);
}

/* [signal] Whether the signal has just ended a system call that is never restarted. The kernel has
 * then put EINTR into the register of the call's result. */
static inline int cps_regs_interrupted_call(const ucontext_t *uc)
{
	return cps_regs_call_result(uc) == -4 /* EINTR */ && cps_regs_is_behind_call(uc);
}

/* The first argument of a call is gone when the call has ended, so that a handler cannot make it again. */
#define CPS_REGS_KEEPS_FIRST 0

/* [signal] Where pc is behind a system call: an argument of the call, from 2 to 6. The first is -1, which no argument is
 * that matters: no descriptor, and no address. */
static inline uintptr_t cps_regs_call_argument(const ucontext_t *uc, int i)
{
	return i == 1 ? (uintptr_t)-1 : *cps_regs_in_call(uc, CPS_REG_CALL_FIRST + i - 1);
}

/* [signal] Makes the thread call again when the handler returns: not without its first argument. */
static inline void cps_regs_call_again(ucontext_t *uc, int number)
{
	(void)uc;
	(void)number;
}

#define CPS_REGS_CALLS 1024 /* more than there are */

/* [signal] Whether the kernel has prepared that the thread makes a system call again which the signal has interrupted: the number
 * of that call. -1: it has not. A thread that comes there for the first time looks the same, but is hardly ever met at that very
 * instruction; and a call that fails before it was made has failed early, like one that has waited for no time. */
static inline int cps_regs_restarted_call(const ucontext_t *uc)
{
	uint64_t number = *cps_regs_in_call(uc, CPS_REG_CALL_NUMBER);

	return number < CPS_REGS_CALLS && cps_regs_is_call_code(cps_regs_pc(uc)) ? (int)number : -1;
}

/* [signal] Lets that call fail with EINTR instead. */
static inline void cps_regs_end_call(ucontext_t *uc)
{
	*cps_regs_in_call(uc, CPS_REG_PC) += 4;
	*cps_regs_in_call(uc, CPS_REG_CALL_FIRST) = (uint64_t)-4; /* EINTR */
}

#endif
