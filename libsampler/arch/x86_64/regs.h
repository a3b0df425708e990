/* SPDX-License-Identifier: MIT */
/*
 * regs.h - the registers of x86-64 by DWARF number, where signals put them, and code that calls.
 */
#ifndef CPS_X86_64_REGS_H
#define CPS_X86_64_REGS_H

#include <stdint.h>
#include <ucontext.h>

/* What the column of the return address is of is the caller's pc. */
enum { CPS_REG_FP = 6, CPS_REG_SP = 7, CPS_REG_PC = 16, CPS_REG_RA = CPS_REG_PC, CPS_REGS = 17 };

/* Registers of one frame. `valid` has a bit for each register that is known. */
struct cps_regs {
	uint64_t r[CPS_REGS];
	uint32_t valid;
};

#define CPS_REGS_BIT(reg) (1u << (reg))
#define CPS_REGS_ALL	  (CPS_REGS_BIT(CPS_REGS) - 1)

/* Below the stack pointer a leaf function may still have data. */
#define CPS_RED_ZONE 128

/* A call has put its return address so many bytes below the CFA, and not into a register. */
#define CPS_REGS_HAS_LINK 0
#define CPS_REGS_RA_BELOW 8

/* Where frame pointers are used the return address lies so far above the caller's. */
#define CPS_REGS_RA_ABOVE_FP 8

/* Registers as libunwind numbers them (unwind/libunwind.h), and the number by which it asks for the address of the interrupted
 * instruction; its name for this machine; and words of a cursor. */
enum { CPS_LIBUNWIND_IP = 16, CPS_LIBUNWIND_SP = 7, CPS_LIBUNWIND_PC = CPS_REG_PC };
#define CPS_LIBUNWIND_MACHINE	   CPS_MACHINE
#define CPS_LIBUNWIND_CURSOR_WORDS 512

/* [signal] A return address as an address: it is one. */
static inline uint64_t cps_regs_strip(uint64_t ra)
{
	return ra;
}

/* DWARF register number -> index in gregs. */
static const uint8_t cps_regs_greg[CPS_REGS] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

/* [signal] The registers of the frame that a signal has interrupted. */
static inline void cps_regs_of_context(struct cps_regs *regs, const ucontext_t *uc)
{
#pragma GCC unroll 17 /* all of them: each number is a constant then */
	for (int i = 0; i < CPS_REGS; i++)
		regs->r[i] = (uint64_t)uc->uc_mcontext.gregs[cps_regs_greg[i]];
	regs->valid = CPS_REGS_ALL;
}

/* [signal] The registers of the function that this is inlined into, exact enough to unwind from. */
static inline __attribute__((always_inline)) void cps_regs_here(struct cps_regs *regs)
{
	uint64_t sp, fp, pc;

	__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
			 : "=r"(pc), "=r"(sp), "=r"(fp));
	regs->r[CPS_REG_PC] = pc;
	regs->r[CPS_REG_SP] = sp;
	regs->r[CPS_REG_FP] = fp;
	regs->valid =
		CPS_REGS_BIT(CPS_REG_PC) | CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_FP);
}

#define CPS_REGS_KEPT	 8 /* those that a function keeps for its caller, with pc */
#define CPS_REGS_KEPT_SP 1 /* of these the stack pointer */

/* [signal] The same with all registers that a function keeps for its caller. */
static inline __attribute__((always_inline)) void cps_regs_keep_here(uint64_t here[CPS_REGS_KEPT])
{
	__asm__ volatile("leaq 0(%%rip), %%rax\n\tmovq %%rax, 0(%0)\n\tmovq %%rsp, 8(%0)\n\t"
			 "movq %%rbp, 16(%0)\n\tmovq %%rbx, 24(%0)\n\tmovq %%r12, 32(%0)\n\t"
			 "movq %%r13, 40(%0)\n\tmovq %%r14, 48(%0)\n\tmovq %%r15, 56(%0)"
			 :
			 : "r"(here)
			 : "rax", "memory");
}

/* [signal] Call f(argument, kept) with these registers of the caller, which then needs no room for them. */
void cps_regs_with_kept(void (*f)(void *argument, const uint64_t kept[CPS_REGS_KEPT]),
			void *argument);

/* [signal] These registers as a context, as if a signal had come there. The others are left as they are. */
static inline void cps_regs_context_of(ucontext_t *uc, const uint64_t here[CPS_REGS_KEPT])
{
	uc->uc_mcontext.gregs[REG_RIP] = (long long)here[0];
	uc->uc_mcontext.gregs[REG_RSP] = (long long)here[1];
	uc->uc_mcontext.gregs[REG_RBP] = (long long)here[2];
	uc->uc_mcontext.gregs[REG_RBX] = (long long)here[3];
	uc->uc_mcontext.gregs[REG_R12] = (long long)here[4];
	uc->uc_mcontext.gregs[REG_R13] = (long long)here[5];
	uc->uc_mcontext.gregs[REG_R14] = (long long)here[6];
	uc->uc_mcontext.gregs[REG_R15] = (long long)here[7];
}

#define CPS_REGS_CALL_BYTES 8

/* [signal] Whether the bytes before p end with a call instruction. So many bytes before p must be
 * readable. */
static inline int cps_regs_is_call(const uint8_t *p)
{
	/* Calls are e8 rel32; or ff /2 with a register, or with memory and 0, 1 or 4 bytes of
	 * displacement, and a byte more if there is an index. */
	if (p[-5] == 0xe8)
		return 1;
	for (int n = 2; n <= 7; n++)
		if (p[-n] == 0xff && (p[-n + 1] & 0x38) == 0x10)
			return 1;
	return 0;
}

#define CPS_REGS_MCALL_BYTES 3

/* [signal] Whether these bytes are the call by which the runtime of Go goes to its scheduler's stack, whose pointer the
 * callee-saved register has that was kept for it: call *%r12. */
static inline int cps_regs_is_mcall(const uint8_t p[CPS_REGS_MCALL_BYTES])
{
	static const uint8_t call[CPS_REGS_MCALL_BYTES] = {0x41, 0xff, 0xd4};

	return __builtin_memcmp(p, call, sizeof(call)) == 0;
}

#define CPS_REGS_TARGET_BYTES 24

/* [signal] Where the call leads whose code is the end of these bytes, which end at `ra`: to *where, or to the
 * address that is stored there. */
static inline enum cps_regs_target cps_regs_target(const uint8_t code[CPS_REGS_TARGET_BYTES],
						   uint64_t ra, uint64_t *where)
{
	const uint8_t *p = code + CPS_REGS_TARGET_BYTES;
	int32_t distance;

	__builtin_memcpy(&distance, p - 4, sizeof(distance));
	*where = ra + (uint64_t)(int64_t)distance;
	if (p[-5] == 0xe8)
		return CPS_REGS_DIRECT;
	if (p[-6] == 0xff && p[-5] == 0x15) /* call *distance(%rip) */
		return CPS_REGS_STORED;
	/* lea distance(%rip), %r; ...; call *(%r) */
	for (int n = 9; p[-2] == 0xff && (p[-1] & ~7) == 0x10 && n <= CPS_REGS_TARGET_BYTES; n++) {
		if (p[-n] != 0x48 || p[1 - n] != 0x8d || p[2 - n] != (5 | (p[-1] & 7) << 3))
			continue;
		__builtin_memcpy(&distance, p + 3 - n, sizeof(distance));
		*where = ra - (uint64_t)(n - 7) + (uint64_t)(int64_t)distance;
		return CPS_REGS_STORED;
	}
	return CPS_REGS_UNKNOWN;
}

#define CPS_REGS_RESTORER_BYTES 9
#define CPS_REGS_RESTORER_CALL	7 /* the offset of its system call */
#define CPS_REGS_RESTORER_EARLY 1 /* bytes before it with which its unwind information begins */

/* [signal] Whether this is the code that a signal handler returns to, which only asks the kernel to
 * restore the interrupted context. */
static inline int cps_regs_is_restorer(const uint8_t p[CPS_REGS_RESTORER_BYTES])
{
	/* movq $15, %rax; syscall */
	static const uint8_t restorer[CPS_REGS_RESTORER_BYTES] = {0x48, 0xc7, 0xc0, 15,	 0,
								  0,	0,    0x0f, 0x05};

	for (size_t i = 0; i < sizeof(restorer); i++)
		if (p[i] != restorer[i])
			return 0;
	return 1;
}

#endif
