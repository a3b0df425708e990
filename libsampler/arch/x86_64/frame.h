/* SPDX-License-Identifier: MIT */
/*
 * frame.h - what the kernel has put on the stack for a signal handler, and the system call that the signal has met.
 */
#ifndef CPS_X86_64_FRAME_H
#define CPS_X86_64_FRAME_H

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "arch/arch.h"

/* ---- the frame of a signal ------------------------------------------------------------------- */

/* [signal] The context of a handler that begins with this stack pointer, or has just returned with it: the kernel puts it
 * above the handler's return address. */
static inline uintptr_t cps_regs_handlers_context(uintptr_t sp)
{
	return sp + 8;
}

/* [signal] */
static inline uintptr_t cps_regs_returned_context(uintptr_t sp)
{
	return sp;
}

/* [signal] Whether a handler of signals has been called, and has not executed anything yet: the kernel
 * gives it the address of the context, which lies above its return address. */
static inline int cps_regs_is_at_handler(const struct cps_regs *regs)
{
	enum { RDX = 1, RDI = 5, SIGNALS = 64 };

	return regs->r[RDX] == cps_regs_handlers_context(regs->r[CPS_REG_SP]) &&
	       regs->r[RDI] - 1 < SIGNALS;
}

/* [signal] Whether a handler may just have returned with these registers, to code of which nothing is known: that is in a file. */
static inline int cps_regs_may_be_returned(const struct cps_regs *regs)
{
	(void)regs;
	return 0;
}

/* [signal] Where the context at this address has a register. */
static inline uintptr_t cps_regs_saved_at(uintptr_t context, int i)
{
	return (uintptr_t) & ((const ucontext_t *)context)->uc_mcontext.gregs[cps_regs_greg[i]];
}

/* [signal] How many bytes the kernel has saved of the floating-point registers, which they tell. */
static inline uint32_t cps_regs_state_bytes(const ucontext_t *uc)
{
	enum { SIZE_AT = 468 };
	uint32_t bytes;

	memcpy(&bytes, (const char *)uc->uc_mcontext.fpregs + SIZE_AT, sizeof(bytes));
	return bytes;
}

/* [signal] For the handler of a signal, whose context `uc` is still where the kernel has put it: the
 * place where the kernel would put the context on a stack that is free below `top`; and in *state that
 * of its floating-point registers. 0: not known. */
static inline uintptr_t cps_regs_place_of_context(const ucontext_t *uc, uintptr_t top,
						  uintptr_t *state)
{
	enum { FRAME = 440 };
	uintptr_t own = (uintptr_t)uc->uc_mcontext.fpregs;

	/* First come the floating-point registers, whose size they contain, and below them the
	 * kernel's frame, which begins with a return address and the context. */
	if (!own || ((own - FRAME) & ~(uintptr_t)15) != (uintptr_t)uc)
		return 0;
	*state = (top - cps_regs_state_bytes(uc)) & ~(uintptr_t)63;
	return (*state - FRAME) & ~(uintptr_t)15;
}

/* [signal] The stack pointer of the interrupted code, and the end of what is free below it. */
static inline uintptr_t cps_regs_interrupted_sp(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
}

/* [signal] Whether what lies above this return address, which can be read, may be the frame that the kernel has made for
 * a handler: its context has a few flags and no link. */
static inline int cps_regs_may_be_handler(const uintptr_t *at)
{
	const ucontext_t *uc = (const ucontext_t *)cps_regs_handlers_context((uintptr_t)at);

	return uc->uc_flags < 16 && !uc->uc_link;
}

/* [signal] Copies what the kernel has put on the stack for a handler, from the return address to the
 * floating-point registers, so that the context is at `to`. cps_regs_place_of_context has said so. */
static inline void cps_regs_move_context(const ucontext_t *uc, uintptr_t to)
{
	enum { RETURN = 8 };
	const char *from = (const char *)uc - RETURN, *own = (const char *)uc->uc_mcontext.fpregs;
	ucontext_t *moved = (ucontext_t *)to;

	memcpy((char *)to - RETURN, from, (size_t)(own + cps_regs_state_bytes(uc) - from));
	moved->uc_mcontext.fpregs = (void *)(own + (to - (uintptr_t)uc));
}

/* ---- the system call that a signal has met ---------------------------------------------------- */

/* [signal] Whether a signal has come at the end of a system call: pc is behind the call's
 * instruction. That has left its end in rcx on most processors. Otherwise pc may be where no code is, since a
 * signal can come between a jump and its fault. */
static inline int cps_regs_is_behind_call(const ucontext_t *uc)
{
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	const uint8_t *p = (const uint8_t *)pc;

	if ((pc & 4095) < 2 || ((uintptr_t)uc->uc_mcontext.gregs[REG_RCX] != pc &&
				!cps_sys_readable((pc - 2) & ~(uintptr_t)7)))
		return 0;
	return p[-2] == 0x0f && p[-1] == 0x05;
}

/* [signal] Whether a signal has come when the thread went back from a system call, or is to make it again. Unlike
 * the above this costs nothing, and misses calls on machines that leave something else in rcx. */
static inline int cps_regs_is_from_call(const ucontext_t *uc)
{
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	uintptr_t end = (uintptr_t)uc->uc_mcontext.gregs[REG_RCX];
	const uint8_t *p = (const uint8_t *)pc;

	if (pc + 2 == end)
		return (pc & 4095) <= 4094 && p[0] == 0x0f && p[1] == 0x05;
	if (pc != end || ((pc & 4095) < 2 && !cps_sys_readable((pc - 2) & ~(uintptr_t)7)))
		return 0;
	return p[-2] == 0x0f && p[-1] == 0x05;
}

/* [signal] Whether the signal has just ended a system call that is never restarted. The kernel has
 * then put EINTR into the register of the call's result. */
static inline int cps_regs_interrupted_call(const ucontext_t *uc)
{
	return uc->uc_mcontext.gregs[REG_RAX] == -4 /* EINTR */ && cps_regs_is_behind_call(uc);
}

/* [signal] Its result. */
static inline long cps_regs_call_result(const ucontext_t *uc)
{
	return (long)uc->uc_mcontext.gregs[REG_RAX];
}

/* [signal] Where the interrupted code goes on. */
static inline uintptr_t cps_regs_pc(const ucontext_t *uc)
{
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
}

/* No argument of a call is gone when the call has ended, so that a handler can make it again. */
#define CPS_REGS_KEEPS_FIRST 1

/* [signal] Where pc is behind a system call: an argument of the call, from 1 to 6. The kernel leaves them as they were. */
static inline uintptr_t cps_regs_call_argument(const ucontext_t *uc, int i)
{
	static const uint8_t where[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	return (uintptr_t)uc->uc_mcontext.gregs[where[i - 1]];
}

#define CPS_REGS_MARK UINT64_C(0x6c6c616370637370) /* any value that no program has there */

/* [signal] Gives the calling thread's next system call a number, in a register that functions may
 * change and hardly ever do, and that the kernel saves with the others when there is a signal. */
static inline void cps_regs_set_number(uint64_t number)
{
	__asm__ volatile("movq %0, %%xmm15\n\t"
			 "movq %1, %%xmm14\n\t"
			 "punpcklqdq %%xmm14, %%xmm15"
			 :
			 : "r"(number), "r"(CPS_REGS_MARK)
			 : "xmm14", "xmm15");
}

/* [signal] That number, from what the kernel has saved of the floating-point registers; 0: something else is in the
 * register. */
static inline uint64_t cps_regs_number(uintptr_t state)
{
	uint64_t number[2];

	memcpy(number, &((const struct _libc_fpstate *)state)->_xmm[15], sizeof(number));
	return number[1] == CPS_REGS_MARK ? number[0] : 0;
}

/* [signal] That number, from a context, which need not have these registers. */
static inline uint64_t cps_regs_context_number(const ucontext_t *uc)
{
	return uc->uc_mcontext.fpregs ? cps_regs_number((uintptr_t)uc->uc_mcontext.fpregs) : 0;
}

/* How many bytes of these registers are there to be read for that. */
#define CPS_REGS_STATE_BYTES sizeof(struct _libc_fpstate)

/* [signal] Whether two contexts are those of the same moment. */
static inline int cps_regs_is_same(const ucontext_t *a, const ucontext_t *b)
{
	static const int same[] = {REG_RIP, REG_RSP, REG_RAX, REG_RBX,
				   REG_RBP, REG_RSI, REG_RDI, REG_RDX};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (a->uc_mcontext.gregs[same[i]] != b->uc_mcontext.gregs[same[i]])
			return 0;
	return 1;
}

/* [signal] Makes the thread call again when the handler returns, as the kernel does with calls that
 * it restarts. */
static inline void cps_regs_call_again(ucontext_t *uc, int number)
{
	uc->uc_mcontext.gregs[REG_RIP] -= 2;
	uc->uc_mcontext.gregs[REG_RAX] = number;
}

/* [signal] Whether the kernel has prepared that the thread makes a system call again which the signal
 * has interrupted: the number of that call. -1: it has not. pc is then at the call's instruction, which
 * has left its end in rcx; a thread that comes there for the first time has something else in it. */
static inline int cps_regs_restarted_call(const ucontext_t *uc)
{
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	const uint8_t *p = (const uint8_t *)pc;

	if ((uintptr_t)uc->uc_mcontext.gregs[REG_RCX] != pc + 2 || (pc & 4095) > 4094 ||
	    p[0] != 0x0f || p[1] != 0x05)
		return -1;
	return (int)uc->uc_mcontext.gregs[REG_RAX];
}

/* [signal] Lets that call fail with EINTR instead. */
static inline void cps_regs_end_call(ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_RIP] += 2;
	uc->uc_mcontext.gregs[REG_RAX] = -4; /* EINTR */
}

#endif
