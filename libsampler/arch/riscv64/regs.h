/* SPDX-License-Identifier: MIT */
/*
 * regs.h - the registers of riscv64 by DWARF number, where signals put them, and code that calls.
 */
#ifndef CPS_RISCV64_REGS_H
#define CPS_RISCV64_REGS_H

#include <stdint.h>
#include <ucontext.h>

/* DWARF has no number for pc. The first one after those of the general registers is taken, which is that of a floating-point
 * register that no function keeps. */
enum { CPS_REG_RA = 1, CPS_REG_SP = 2, CPS_REG_FP = 8, CPS_REG_PC = 32, CPS_REGS = 33 };

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

/* Where frame pointers are used the return address lies so far above the caller's. Both lie below the address that the frame
 * pointer has. */
#define CPS_REGS_RA_ABOVE_FP 8

/* What a system call has its first argument and its result in, and its number; and its instruction (generic/call.h). */
enum { CPS_REG_CALL_FIRST = 10, CPS_REG_CALL_NUMBER = 17 };
#define CPS_REGS_CALL_CODE 0x00000073u /* ecall */

/* Registers as libunwind numbers them (unwind/libunwind.h), and the number by which it asks for the address of the interrupted
 * instruction; its name for this machine; and words of a cursor. */
enum { CPS_LIBUNWIND_IP = 64, CPS_LIBUNWIND_SP = 2, CPS_LIBUNWIND_PC = 64 };
#define CPS_LIBUNWIND_MACHINE	   "riscv"
#define CPS_LIBUNWIND_CURSOR_WORDS 4096

/* [signal] A return address as an address: it is one. */
static inline uint64_t cps_regs_strip(uint64_t ra)
{
	return ra;
}

/* [signal] Where a context has a register: pc in the place of the one that is always 0. */
static inline uintptr_t cps_regs_in_context(const ucontext_t *uc, int reg)
{
	return (uintptr_t)&uc->uc_mcontext.__gregs[reg == CPS_REG_PC ? 0 : reg];
}

/* [signal] The registers of the frame that a signal has interrupted. */
static inline void cps_regs_of_context(struct cps_regs *regs, const ucontext_t *uc)
{
	for (int i = 1; i < 32; i++)
		regs->r[i] = uc->uc_mcontext.__gregs[i];
	regs->r[0] = 0;
	regs->r[CPS_REG_PC] = uc->uc_mcontext.__gregs[0];
	regs->valid = CPS_REGS_ALL;
}

/* [signal] The registers of the function that this is inlined into, exact enough to unwind from. */
static inline __attribute__((always_inline)) void cps_regs_here(struct cps_regs *regs)
{
	uint64_t sp, fp, pc, ra;

	__asm__ volatile("auipc %0, 0\n\tmv %1, sp\n\tmv %2, s0\n\tmv %3, ra"
			 : "=&r"(pc), "=&r"(sp), "=&r"(fp), "=&r"(ra));
	regs->r[CPS_REG_PC] = pc;
	regs->r[CPS_REG_SP] = sp;
	regs->r[CPS_REG_FP] = fp;
	regs->r[CPS_REG_RA] = ra;
	regs->valid = CPS_REGS_BIT(CPS_REG_PC) | CPS_REGS_BIT(CPS_REG_SP) |
		      CPS_REGS_BIT(CPS_REG_FP) | CPS_REGS_BIT(CPS_REG_RA);
}

#define CPS_REGS_KEPT                                                                              \
	15 /* those that a function keeps for its caller, s0 to s11, behind pc, ra and sp: */
#define CPS_REGS_KEPT_SP 2 /* of these the stack pointer */

/* The others, s2 to s11, and where they go, from the register in `to`. */
#define CPS_REGS_STORE_KEPT(to)                                                                    \
	"sd s0, 24(" to ")\n\tsd s1, 32(" to ")\n\tsd s2, 40(" to ")\n\t"                          \
	"sd s3, 48(" to ")\n\tsd s4, 56(" to ")\n\tsd s5, 64(" to ")\n\t"                          \
	"sd s6, 72(" to ")\n\tsd s7, 80(" to ")\n\tsd s8, 88(" to ")\n\t"                          \
	"sd s9, 96(" to ")\n\tsd s10, 104(" to ")\n\tsd s11, 112(" to ")\n\t"

/* [signal] The same with all registers that a function keeps for its caller. */
static inline __attribute__((always_inline)) void cps_regs_keep_here(uint64_t here[CPS_REGS_KEPT])
{
	__asm__ volatile("auipc t0, 0\n\tsd t0, (%0)\n\tsd ra, 8(%0)\n\tsd sp, 16(%0)\n\t" //
			 CPS_REGS_STORE_KEPT("%0")
			 :
			 : "r"(here)
			 : "t0", "memory");
}

/* [signal] Call f(argument, kept) with these registers of the caller, which then needs no room for them. */
void cps_regs_with_kept(void (*f)(void *argument, const uint64_t kept[CPS_REGS_KEPT]),
			void *argument);

/* Its code (arch/generic/entry.c). */
#define CPS_REGS_WITH_KEPT                                                                         \
	__asm__(".text\n\t.p2align 2\n\t.globl cps_regs_with_kept\n\t"                             \
		".hidden cps_regs_with_kept\n\t.type cps_regs_with_kept, %function\n"              \
		"cps_regs_with_kept:\n\t.cfi_startproc\n\tmv t0, sp\n\tmv t1, a0\n\t"              \
		"addi sp, sp, -144\n\t.cfi_def_cfa_offset 144\n\t"                                 \
		"sd ra, 136(sp)\n\t.cfi_offset ra, -8\n\t"                                         \
		"sd ra, (sp)\n\tsd ra, 8(sp)\n\tsd t0, 16(sp)\n\t" CPS_REGS_STORE_KEPT(            \
			"sp") "mv a0, a1\n\tmv a1, sp\n\tjalr t1\n\t"                              \
			      "ld ra, 136(sp)\n\taddi sp, sp, 144\n\t"                             \
			      ".cfi_restore ra\n\t.cfi_def_cfa_offset 0\n\tret\n\t"                \
			      ".cfi_endproc\n\t"                                                   \
			      ".size cps_regs_with_kept, . - cps_regs_with_kept\n")

/* [signal] These registers as a context, as if a signal had come there. The others are left as they are. */
static inline void cps_regs_context_of(ucontext_t *uc, const uint64_t here[CPS_REGS_KEPT])
{
	for (int i = 0; i < 3; i++) /* pc, ra, sp */
		uc->uc_mcontext.__gregs[i] = here[i];
	uc->uc_mcontext.__gregs[8] = here[3];
	uc->uc_mcontext.__gregs[9] = here[4];
	for (int i = 0; i < 10; i++) /* s2 to s11 */
		uc->uc_mcontext.__gregs[18 + i] = here[5 + i];
}

/* [signal] Call f(argument) on another stack, whose end is at `top`. The frame pointer stays as it
 * is, so that a debugger finds its way back. */
static inline void cps_regs_call_on_stack(void *top, void (*f)(void *), void *argument)
{
	register void *a0 __asm__("a0") = argument;
	register void (*a1)(void *) __asm__("a1") = f;
	register void *a2 __asm__("a2") = top;

	__asm__ volatile("mv s1, sp\n\tmv sp, a2\n\tjalr a1\n\tmv sp, s1"
			 : "+r"(a0), "+r"(a1), "+r"(a2)
			 :
			 : "ra", "s1", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a3", "a4", "a5",
			   "a6", "a7", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7",
			   "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
			   "fa6", "fa7", "memory");
}

/* [signal] Half of an instruction, or a short one. */
static inline uint32_t cps_regs_half(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

#define CPS_REGS_CALL_BYTES 4

/* [signal] Whether the bytes before p end with a call instruction. So many bytes before p must be
 * readable. */
static inline int cps_regs_is_call(const uint8_t *p)
{
	uint32_t last = cps_regs_half(p - 2), word = cps_regs_half(p - 4) | last << 16;

	return (word & 0xfff) == 0x0ef /* jal ra */ || (word & 0x7fff) == 0x00e7 /* jalr ra */ ||
	       ((last & 0xf07f) == 0x9002 && last & 0x0f80) /* the short jalr */;
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

/* [signal] Where the call leads whose code is the end of these bytes, which end at `ra`: that is not read. */
static inline enum cps_regs_target cps_regs_target(const uint8_t code[CPS_REGS_TARGET_BYTES],
						   uint64_t ra, uint64_t *where)
{
	(void)code;
	(void)ra;
	(void)where;
	return CPS_REGS_UNKNOWN;
}

/* The code that a signal handler returns to is in the vDSO, and begins with its unwind information. */
#define CPS_REGS_RESTORER_BYTES 8
#define CPS_REGS_RESTORER_CALL	4 /* the offset of its system call */
#define CPS_REGS_RESTORER_EARLY 0 /* bytes before it with which its unwind information begins */

/* [signal] Whether this is that code, which only asks the kernel to restore the interrupted context. */
static inline int cps_regs_is_restorer(const uint8_t p[CPS_REGS_RESTORER_BYTES])
{
	static const uint8_t restorer[CPS_REGS_RESTORER_BYTES] = {
		0x93, 0x08, 0xb0, 0x08, /* li a7, 139 */
		0x73, 0x00, 0x00, 0x00, /* ecall */
	};

	return __builtin_memcmp(p, restorer, sizeof(restorer)) == 0;
}

#endif
