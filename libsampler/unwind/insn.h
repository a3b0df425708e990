/* SPDX-License-Identifier: MIT */
/*
 * insn.h - reads machine instructions.
 */
#ifndef CPS_INSN_H
#define CPS_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- insn ------------------------------------------------------------------------------------ */
/*
 * Reads machine instructions, as far as they matter to a function's way back to its caller.
 */

#define CPS_INSN_BYTES	16  /* no instruction has more */
#define CPS_INSN_NO_REG 31u /* of a register: none, or one that is not followed */

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
	bool is_local;	   /* the word is in the thread's own block, at thread pointer + value */
	int64_t value;
};

/* [signal] The instruction at this address, of which n bytes are given. Unknown, if it is longer. */
void cps_insn_read(const uint8_t *bytes, size_t n, uintptr_t address, struct cps_insn *insn);

/* A copy of some code. */
struct cps_insn_window {
	uintptr_t at;
	size_t n; /* 0: none yet */
	uint8_t bytes[64];
};

/* [signal] The instruction at this address. False: it cannot be read, or is unknown. */
bool cps_insn_at(struct cps_insn_window *w, uintptr_t pc, struct cps_insn *insn);

/* [signal] Whether it calls a function that traps at once, such as Go's runtime.abort, so that nothing
 * comes after it. */
bool cps_insn_is_fatal_call(const struct cps_insn *insn);

struct cps_regs;

/* [signal] The number of a system call that has just ended: pc is behind its instruction. -1: it is not known, since the
 * instructions before do not say, or no more. */
int cps_insn_call_number(const struct cps_regs *regs);

/* [signal] Whether a function leaves the register to its caller as it was. */
bool cps_insn_is_kept(unsigned reg);

/* ---- call ------------------------------------------------------------------------------------ */
/*
 * Tells return addresses from other numbers.
 */

/* [signal] Whether there is a call instruction before this address, so that it may be a return
 * address. */
bool cps_call_comes_before(uint64_t ra);

/* Where a frame pointer leads: the frame at `fp` has saved `next` for its caller. */
struct cps_call_chain {
	uint64_t fp, next;
	uint64_t high; /* the end of the stack; 0: not known */
};

/* [signal] Whether the frame may return to this address. Generated code may be returned to where no call
 * is: Java's interpreter pushes the return address itself. Nothing but the chain of frame pointers speaks for
 * such an address, so the caller's frame has to lie further up the same stack. */
bool cps_call_returns(uint64_t ra, const struct cps_call_chain *chain);

#endif
