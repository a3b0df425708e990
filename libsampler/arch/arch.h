/* SPDX-License-Identifier: MIT */
/*
 * arch.h - what differs between machines: this header says what each has to give.
 *
 * All that names a register, has assembly, or depends on how a machine calls functions is in the folder of the machine, beside
 * this file. A port is such a folder, with a line below and one in converters/arch/; nothing else asks what machine it
 * is (`make lint ONLY=machine`). A folder has
 *
 *   sys.h    one system call; names that the machine's kernel and C library have; what one instruction does: a number
 *            that is changed at once, long copies;
 *   regs.h   struct cps_regs, by DWARF number: PC, SP and FP, the registers that a function keeps, and the way from
 *            and to contexts; where a call puts the return address; what calls look like, and the code that handlers
 *            return to. Addresses of code are plain: where return addresses are signed, they lose that here. libunwind's
 *            numbers need not be DWARF's: on aarch64 its IP is register 30;
 *   frame.h  what the kernel puts on the stack for a handler: where the context is, how to move it; and what a context
 *            says of a system call: arguments, result, whether it was interrupted, how it is made again. A machine
 *            that cannot know says no;
 *   entry.h  code that others enter: syscall(2), handlers of signals, thunks; and calls on another stack;
 *   entry.c, insn.c  what of this is not inline; the reader of instructions (below).
 *
 * A machine that has only sys.h and regs.h gets the others from generic/, where each function says no: no handler's frame is moved, no
 * code is entered from outside, no instruction is read but that of a system call, no call is made again. Its regs.h also says where a
 * context has each register (cps_regs_in_context), and has the call on another stack and the code CPS_REGS_WITH_KEPT. All that
 * names a machine is there.
 *
 * Their functions begin with cps_regs_, cps_entry_, cps_insn_ and the like, and are documented in those of x86-64.
 * CPS_MACHINE is the machine's name, as in recordings and in the names of libunwind's files.
 */
#ifndef CPS_ARCH_H
#define CPS_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* System calls of the calling thread that would not be there without the recorder; modulo 2^32. What counts the
 * target's takes them off (resource/overflow.c). cps_sys6 adds to them. */
extern __thread uint32_t cps_sys_calls;

/* Calls that kernels of newer machines have only in newer forms. These numbers are kept free for machines that have calls of their
 * own, and none has one of these: no call has them. */
#ifndef SYS_open
enum { SYS_open = 245, SYS_poll, SYS_select, SYS_epoll_wait, SYS_pause, SYS_getdents };
#endif

/* What the code of a call says of where that leads: nothing, there, or to what is stored there. */
enum cps_regs_target { CPS_REGS_UNKNOWN, CPS_REGS_DIRECT, CPS_REGS_STORED };

#if defined(__x86_64__)
#include "arch/x86_64/sys.h"
#include "arch/x86_64/regs.h"
#elif defined(__aarch64__)
#include "arch/aarch64/sys.h"
#include "arch/aarch64/regs.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "arch/riscv64/sys.h"
#include "arch/riscv64/regs.h"
#else
#error "this architecture needs a folder in libsampler/arch"
#endif

#define CPS_SYS(name, a, b, c, d)                                                                  \
	cps_sys6(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/*
 * [signal] Whether eight bytes at this address can be read. It has no effect and needs no
 * descriptor: the kernel copies the new mask before it looks at `how`, so a senseless `how` gives
 * EFAULT for memory that is not there and EINVAL for memory that is.
 */
static inline int cps_sys_readable(uintptr_t address)
{
	return CPS_SYS(rt_sigprocmask, -1, address, 0, 8) == -22 /* EINVAL */;
}

#if defined(__x86_64__)
#include "arch/x86_64/frame.h"
#include "arch/x86_64/entry.h"
#elif defined(__aarch64__)
#include "arch/aarch64/frame.h"
#include "arch/aarch64/entry.h"
#else
#include "arch/generic/frame.h"
#include "arch/generic/entry.h"
#endif

/* ---- what is the same for all ----------------------------------------------------------------------- */

/* [signal] Add n to a number of the calling thread's, as cps_single_subtract does. */
static inline __attribute__((always_inline)) void cps_single_add(int64_t *number, int64_t n)
{
	cps_single_subtract(number, -n);
}

/* [signal] The stack pointer among the registers that a function keeps for its caller. */
static inline uintptr_t cps_regs_kept_sp(const uint64_t here[CPS_REGS_KEPT])
{
	return here[CPS_REGS_KEPT_SP];
}

#define CPS_REGS_NEAR 1024

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
	return (uintptr_t)uc == cps_regs_handlers_context(sp);
}

/* ---- insn ------------------------------------------------------------------------------------ */
/*
 * Reads machine instructions, as far as they matter to a function's way back to its caller.
 */

#define CPS_INSN_BYTES	16   /* no instruction has more */
#define CPS_INSN_NO_REG 255u /* of a register: none, or one that is not followed */

enum cps_insn_op {
	CPS_INSN_UNKNOWN, /* not understood: anything may happen */
	CPS_INSN_NOTHING, /* changes no register that is followed */
	CPS_INSN_CLOBBER, /* reg = something */
	CPS_INSN_MOVE,	  /* reg = base */
	CPS_INSN_ADD,	  /* reg += value */
	CPS_INSN_AND,	  /* reg &= value */
	CPS_INSN_LEA,	  /* reg = base + value */
	CPS_INSN_LOAD,	  /* reg = word at base + value */
	CPS_INSN_LESS,	  /* reg -= word at base + value */
	CPS_INSN_STORE,	  /* word at base + value = reg */
	CPS_INSN_PUSH,	  /* of reg, or of something */
	CPS_INSN_POP,	  /* to reg, or to nowhere */
	CPS_INSN_LEAVE,	  /* sp = fp; pop fp */
	CPS_INSN_CALL,	  /* to value; 0: somewhere */
	CPS_INSN_JUMP,	  /* to value */
	CPS_INSN_BRANCH,  /* to value, or goes on */
	CPS_INSN_RETURN,
	CPS_INSN_TRAP, /* the program does not go on here */
};

struct cps_insn {
	enum cps_insn_op op;
	uint8_t length;
	uint8_t reg, base; /* by DWARF number, or CPS_INSN_NO_REG */
	uint8_t second; /* LOAD, STORE: of the word after that one, too, if it is not CPS_INSN_NO_REG */
	bool is_local; /* the word is in the thread's own block, at thread pointer + value */
	int16_t before, after; /* LOAD, STORE: base += this, before the access or after it */
	int64_t value;
};

/* [signal] The instruction at this address, of which n bytes are given. Unknown, if it is longer. */
void cps_insn_read(const uint8_t *bytes, size_t n, uintptr_t address, struct cps_insn *insn);

/* [signal] The number of the system call whose instruction is the end of these n bytes and has just ended, with these
 * registers. -1: it is not known, since the instructions before do not say, or no more. */
int cps_insn_number_before(const uint8_t *code, size_t n, const struct cps_regs *regs);

/* [signal] Whether a function leaves the register to its caller as it was. */
bool cps_insn_is_kept(unsigned reg);

#endif
