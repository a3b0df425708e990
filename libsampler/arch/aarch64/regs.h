/* SPDX-License-Identifier: MIT */
/*
 * regs.h - the registers of aarch64 by DWARF number, where signals put them, and code that calls.
 */
#ifndef CPS_AARCH64_REGS_H
#define CPS_AARCH64_REGS_H

#include <stdint.h>
#include <ucontext.h>

/* DWARF has no number for pc: the first one after sp is taken. */
enum { CPS_REG_FP = 29, CPS_REG_RA = 30, CPS_REG_SP = 31, CPS_REG_PC = 32, CPS_REGS = 33 };

/* Registers of one frame. `valid` has a bit for each register that is known. */
struct cps_regs {
	uint64_t r[CPS_REGS];
	uint64_t valid;
};

#define CPS_REGS_BIT(reg) (UINT64_C(1) << (reg))
#define CPS_REGS_ALL	  (CPS_REGS_BIT(CPS_REGS) - 1)

#define CPS_RED_ZONE 0

/* A call has put its return address into CPS_REG_RA, and its frame begins where the caller's ends. */
#define CPS_REGS_HAS_LINK 1
#define CPS_REGS_RA_BELOW 0

/* Where frame pointers are used the return address lies so far above the caller's. */
#define CPS_REGS_RA_ABOVE_FP 8

/* What a system call has its first argument and its result in, and its number; and its instruction (generic/call.h). */
enum { CPS_REG_CALL_FIRST = 0, CPS_REG_CALL_NUMBER = 8 };
#define CPS_REGS_CALL_CODE 0xd4000001u /* svc #0 */

/* Registers as libunwind numbers them (unwind/libunwind.h): its IP is the return address's register, also in the frame
 * that was interrupted. The number by which it asks for the address of the interrupted instruction; its name for this machine; and words
 * of a cursor. */
enum { CPS_LIBUNWIND_IP = 30, CPS_LIBUNWIND_SP = 31, CPS_LIBUNWIND_PC = CPS_REG_PC };
#define CPS_LIBUNWIND_MACHINE	   CPS_MACHINE
#define CPS_LIBUNWIND_CURSOR_WORDS 512

/* [signal] A return address without the code that authenticates it. The instruction does nothing on processors that have no
 * such codes. How many bits an address has need not be known. */
static inline uint64_t cps_regs_strip(uint64_t ra)
{
	register uint64_t x30 __asm__("x30") = ra;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
}

/* [signal] The registers of the frame that a signal has interrupted. */
static inline void cps_regs_of_context(struct cps_regs *regs, const ucontext_t *uc)
{
	for (int i = 0; i < 31; i++)
		regs->r[i] = uc->uc_mcontext.regs[i];
	regs->r[CPS_REG_SP] = uc->uc_mcontext.sp;
	regs->r[CPS_REG_PC] = uc->uc_mcontext.pc;
	regs->valid = CPS_REGS_ALL;
}

/* [signal] The registers of the function that this is inlined into, exact enough to unwind from. */
static inline __attribute__((always_inline)) void cps_regs_here(struct cps_regs *regs)
{
	uint64_t sp, fp, pc, ra;

	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp), "=&r"(ra));
	regs->r[CPS_REG_PC] = pc;
	regs->r[CPS_REG_SP] = sp;
	regs->r[CPS_REG_FP] = fp;
	regs->r[CPS_REG_RA] = ra;
	regs->valid = CPS_REGS_BIT(CPS_REG_PC) | CPS_REGS_BIT(CPS_REG_SP) |
		      CPS_REGS_BIT(CPS_REG_FP) | CPS_REGS_BIT(CPS_REG_RA);
}

#define CPS_REGS_KEPT                                                                              \
	14 /* those that a function keeps for its caller, x19 to x29, with pc, sp and x30 */
#define CPS_REGS_KEPT_SP 1 /* of these the stack pointer */

/* [signal] The same with all registers that a function keeps for its caller. */
static inline __attribute__((always_inline)) void cps_regs_keep_here(uint64_t here[CPS_REGS_KEPT])
{
	__asm__ volatile("adr x9, .\n\tmov x10, sp\n\tstp x9, x10, [%0]\n\t"
			 "stp x19, x20, [%0, #16]\n\tstp x21, x22, [%0, #32]\n\t"
			 "stp x23, x24, [%0, #48]\n\tstp x25, x26, [%0, #64]\n\t"
			 "stp x27, x28, [%0, #80]\n\tstp x29, x30, [%0, #96]"
			 :
			 : "r"(here)
			 : "x9", "x10", "memory");
}

/* [signal] Call f(argument, kept) with these registers of the caller, which then needs no room for them. */
void cps_regs_with_kept(void (*f)(void *argument, const uint64_t kept[CPS_REGS_KEPT]),
			void *argument);

/* [signal] These registers as a context, as if a signal had come there. The others are left as they are. */
static inline void cps_regs_context_of(ucontext_t *uc, const uint64_t here[CPS_REGS_KEPT])
{
	uc->uc_mcontext.pc = here[0];
	uc->uc_mcontext.sp = here[1];
	for (int i = 0; i < 12; i++)
		uc->uc_mcontext.regs[19 + i] = here[2 + i];
}

/* [signal] An instruction. */
static inline uint32_t cps_regs_word(const uint8_t *p)
{
	uint32_t word;

	__builtin_memcpy(&word, p, sizeof(word));
	return word;
}

#define CPS_REGS_CALL_BYTES 4

/* [signal] Whether the bytes before p end with a call instruction. So many bytes before p must be
 * readable. */
static inline int cps_regs_is_call(const uint8_t *p)
{
	uint32_t word = cps_regs_word(p - 4);

	return word >> 26 == 0x25 /* bl */ || (word & 0xfffffc1f) == 0xd63f0000 /* blr */ ||
	       (word & 0xfefff800) == 0xd63f0800; /* blraa and the like */
}

#define CPS_REGS_MCALL_BYTES 4

/* [signal] Whether these bytes are the call by which the runtime of Go goes to its scheduler's stack. They are not told
 * from other calls. */
static inline int cps_regs_is_mcall(const uint8_t p[CPS_REGS_MCALL_BYTES])
{
	(void)p;
	return 0;
}

#define CPS_REGS_TARGET_BYTES 4

/* [signal] Where the call leads whose code is the end of these bytes, which end at `ra`: to *where. */
static inline enum cps_regs_target cps_regs_target(const uint8_t code[CPS_REGS_TARGET_BYTES],
						   uint64_t ra, uint64_t *where)
{
	uint32_t word = cps_regs_word(code);

	if (word >> 26 != 0x25)
		return CPS_REGS_UNKNOWN;
	*where = ra - 4 + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
	return CPS_REGS_DIRECT;
}

#define CPS_REGS_RESTORER_BYTES 8
#define CPS_REGS_RESTORER_CALL	4 /* the offset of its system call */
#define CPS_REGS_RESTORER_EARLY                                                                    \
	4 /* bytes of a nop before it, with which its unwind information begins */

/* [signal] Whether this is the code that a signal handler returns to, which only asks the kernel to
 * restore the interrupted context. */
static inline int cps_regs_is_restorer(const uint8_t p[CPS_REGS_RESTORER_BYTES])
{
	return cps_regs_word(p) == 0xd2801168 /* mov x8, #139 */ &&
	       cps_regs_word(p + 4) == 0xd4000001 /* svc #0 */;
}

#endif
