/* SPDX-License-Identifier: MIT */
/*
 * regs.h - what differs between machines: registers by DWARF number, and where signals put them.
 *
 * Another architecture needs a second block here, and its system call in base/sys.h.
 */
#ifndef CPS_REGS_H
#define CPS_REGS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "base/sys.h"

#if defined(__x86_64__)

#define CPS_MACHINE "x86_64"

enum { CPS_REG_FP = 6, CPS_REG_SP = 7, CPS_REG_PC = 16, CPS_REGS = 17 };

/* Registers of one frame. `valid` has a bit for each register that is known. */
struct cps_regs {
	uint64_t r[CPS_REGS];
	uint32_t valid;
};

#define CPS_REGS_ALL ((1u << CPS_REGS) - 1)

/* Below the stack pointer a leaf function may still have data. */
#define CPS_RED_ZONE 128

/* DWARF register number -> index in gregs. */
static const uint8_t cps_regs_greg[CPS_REGS] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

/* [signal] The registers of the frame that a signal has interrupted. */
static inline void cps_regs_of_context(struct cps_regs *regs, const ucontext_t *uc)
{
	for (int i = 0; i < CPS_REGS; i++)
		regs->r[i] = (uint64_t)uc->uc_mcontext.gregs[cps_regs_greg[i]];
	regs->valid = CPS_REGS_ALL;
}

/* [signal] Whether a handler of signals has been called, and has not executed anything yet: the kernel
 * gives it the address of the context, which lies above its return address. */
static inline int cps_regs_is_at_handler(const struct cps_regs *regs)
{
	enum { RDX = 1, RDI = 5, SIGNALS = 64 };

	return regs->r[RDX] == regs->r[CPS_REG_SP] + 8 && regs->r[RDI] - 1 < SIGNALS;
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
	regs->valid = 1u << CPS_REG_PC | 1u << CPS_REG_SP | 1u << CPS_REG_FP;
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

/* [signal] Call f(argument, kept) with these registers of the caller, which then needs no room for them. Some file
 * has to define it by this macro. */
void cps_regs_with_kept(void (*f)(void *argument, const uint64_t kept[CPS_REGS_KEPT]),
			void *argument);
#define CPS_REGS_WITH_KEPT                                                                         \
	__asm__(".text\n\t.p2align 4\n\t.globl cps_regs_with_kept\n\t"                             \
		".hidden cps_regs_with_kept\n\t.type cps_regs_with_kept, @function\n"              \
		"cps_regs_with_kept:\n\t.cfi_startproc\n\t"                                        \
		"leaq 8(%rsp), %rax\n\tmovq (%rsp), %rdx\n\t"                                      \
		"pushq %r15\n\tpushq %r14\n\tpushq %r13\n\tpushq %r12\n\t"                         \
		"pushq %rbx\n\tpushq %rbp\n\tpushq %rax\n\tpushq %rdx\n\t"                         \
		".cfi_adjust_cfa_offset 64\n\tmovq %rdi, %rax\n\tmovq %rsi, %rdi\n\t"              \
		"movq %rsp, %rsi\n\tpushq %rax\n\t.cfi_adjust_cfa_offset 8\n\tcall *%rax\n\t"      \
		"addq $72, %rsp\n\t.cfi_adjust_cfa_offset -72\n\tret\n\t"                          \
		".cfi_endproc\n\t.size cps_regs_with_kept, . - cps_regs_with_kept\n")

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

/* [signal] The stack pointer among them. */
static inline uintptr_t cps_regs_kept_sp(const uint64_t here[CPS_REGS_KEPT])
{
	return here[CPS_REGS_KEPT_SP];
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

#define CPS_REGS_TARGET_BYTES 24

enum cps_regs_target { CPS_REGS_UNKNOWN, CPS_REGS_DIRECT, CPS_REGS_STORED };

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

/* [signal] The address of the thread's control block. glibc puts it above the stack of every thread
 * but the first. */
static inline uintptr_t cps_regs_thread_pointer(void)
{
	uintptr_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
}

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

/* [signal] Where pc is behind a system call: an argument of the call, from 1 to 6. The kernel leaves them as they were. */
static inline uintptr_t cps_regs_call_argument(const ucontext_t *uc, int i)
{
	static const uint8_t where[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	return (uintptr_t)uc->uc_mcontext.gregs[where[i - 1]];
}

#define CPS_REGS_NEAR 1024

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

/* [signal] That number, from a context; 0: something else is in the register. */
static inline uint64_t cps_regs_number(const struct _libc_fpstate *state)
{
	uint64_t number[2];

	memcpy(number, &state->_xmm[15], sizeof(number));
	return number[1] == CPS_REGS_MARK ? number[0] : 0;
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

/* [signal] Whether the interrupted code is called by the function with this frame, or by one that it calls.
 * The kernel's frame for a handler is larger than what is allowed here, and the frames of the few functions
 * of the C library between a wrapper and its system call are smaller. So a handler of the target's that has
 * interrupted that function is not taken for it. */
static inline int cps_regs_is_below(const ucontext_t *uc, uintptr_t frame)
{
	return frame - cps_regs_interrupted_sp(uc) < CPS_REGS_NEAR;
}

/* [signal] Whether the kernel has put the context there for a handler that begins with this stack
 * pointer. */
static inline int cps_regs_is_handlers_sp(const ucontext_t *uc, uintptr_t sp)
{
	return (uintptr_t)uc == sp + 8;
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

/* For signal handlers, which begin on a stack that they align themselves: qemu-x86_64 calls them with
 * a stack that is 8 bytes off. */
#define CPS_REGS_HANDLER __attribute__((force_align_arg_pointer))

/* [signal] Whether valgrind runs the program: these instructions do nothing elsewhere (valgrind.h,
 * RUNNING_ON_VALGRIND). */
static inline int cps_regs_is_valgrind(void)
{
	static const uint64_t request[6] = {0x1001};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer != 0;
}

/* [signal] Call f(argument) on another stack, whose end is at `top`. The frame pointer stays as it
 * is, so that a debugger finds its way back. */
static inline void cps_regs_call_on_stack(void *top, void (*f)(void *), void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[f]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(argument), [f] "+a"(f), [top] "+d"(top)
			 :
			 : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
			   "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

/* The function that a handler returns to; the kernel wants one with every disposition. It has no
 * unwind information on purpose: unwinders recognise these very bytes. */
#define CPS_REGS_RESTORER                                                                          \
	__asm__(".text\n\tnop\n\t.p2align 4\n\t.type cps_regs_restore, @function\n"                \
		"cps_regs_restore:\n\tmovq $15, %rax\n\tsyscall\n\t"                               \
		".size cps_regs_restore, . - cps_regs_restore\n")

#define CPS_REGS_TEXT(x)  #x
#define CPS_REGS_VALUE(x) CPS_REGS_TEXT(x)

/* The function syscall(2). Calls whose number has its bit set in the 512 bits of `table` go to
 * `chosen`, but those with the number in the variable `limited` only if their fifth argument is not 0. All others jump to the
 * function that the variable `real` points to (`early` while it is NULL), with registers and stack as they are. */
#define CPS_REGS_SYSCALL(table, limited, chosen, real, early)                                      \
	__asm__(".text\n\t.p2align 4\n\t.globl syscall\n\t.type syscall, @function\n"              \
		"syscall:\n\t.cfi_startproc\n\t"                                                   \
		"cmpq $511, %rdi\n\tja 1f\n\tbtq %rdi, " #table "(%rip)\n\tjc 2f\n"                \
		"1:\tmovq " #real "(%rip), %rax\n\ttestq %rax, %rax\n\tjz " #early                 \
		"\n\tjmp *%rax\n"                                                                  \
		"2:\tcmpq " #limited "(%rip), %rdi\n\tjne " #chosen                                \
		"\n\ttestq %r8, %r8\n\tjz 1b\n\tjmp " #chosen                                      \
		"\n\t.cfi_endproc\n\t.size syscall, . - syscall\n")

/* In `chosen` and `early`, which have the first six arguments of syscall(2): the last one, which it has on the stack. As an
 * argument the compiler might keep something else in its place, where callers that give fewer have something of their
 * own. */
#define CPS_REGS_SYSCALL_LAST (((const volatile long *)__builtin_frame_address(0))[2])

#define CPS_REGS_RELAY_BYTES 16

/* `count` handlers of signals, CPS_REGS_RELAY_BYTES apart from `relays` on. Each calls `choose` with
 * the context that it was given, its own number and its stack pointer. The result is the address of
 * another handler and a distance, by which the kernel's frame was moved. The other handler begins at
 * the moved frame with the registers that the kernel gives to a handler. */
#define CPS_REGS_RELAYS(relays, count, choose)                                                     \
	__asm__(".text\n\t.p2align 4\n\t.type " #relays ", @function\n" #relays ":\n\t"            \
		".cfi_startproc\n\t.set " #relays "_i, 0\n\t.rept " CPS_REGS_VALUE(                \
			count) "\n\t"                                                              \
			       "movl $" #relays "_i, %eax\n\tjmp 1f\n\t.p2align 4\n\t"             \
			       ".set " #relays "_i, " #relays "_i + 1\n\t.endr\n"                  \
			       "1:\tpushq %rdi\n\t.cfi_adjust_cfa_offset 8\n\t"                    \
			       "pushq %rsi\n\t.cfi_adjust_cfa_offset 8\n\t"                        \
			       "pushq %rdx\n\t.cfi_adjust_cfa_offset 8\n\t"                        \
			       "movq %rdx, %rdi\n\tmovl %eax, %esi\n\tleaq 24(%rsp), %rdx\n\t"     \
			       "call " #choose "\n\t"                                              \
			       "popq %rcx\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "popq %rsi\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "popq %rdi\n\t.cfi_adjust_cfa_offset -8\n\t"                        \
			       "movq %rax, %r11\n\taddq %rdx, %rsp\n\taddq %rdx, %rsi\n\t"         \
			       "addq %rcx, %rdx\n\txorl %eax, %eax\n\tjmp *%r11\n\t"               \
			       ".cfi_endproc\n\t.size " #relays ", . - " #relays "\n")

#else
#error "this architecture needs its registers in regs.h and its system call in sys.h"
#endif

#endif
