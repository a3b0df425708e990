/* SPDX-License-Identifier: MIT */
/*
 * bare.c - steps where no unwind information leads.
 *
 * In: registers, code, the stack. Out: the caller's registers, or that the stack ends here.
 */
#include "unwind/ahead.h"
#include "unwind/bare.h"
#include "unwind/borrowed.h"
#include "unwind/call.h"
#include "unwind/cfi.h"
#include "unwind/module.h"
#include "unwind/signal_frame.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

/* Whether the address lies on the stack, so that it cannot be code. The words of a stack can look
 * like a call, which one address of a stack in 200 does. Where the bounds are not known, the stack
 * reaches at least from the stack pointer to the frame pointer. */
static bool is_on_stack(const struct cps_bare *f, const struct cps_peek *peek, uint64_t address)
{
	bool is_known = peek->high != 0;
	uint64_t low = is_known ? peek->low : f->regs.r[CPS_REG_SP];
	uint64_t high = is_known ? peek->high : f->regs.r[CPS_REG_FP] + 16;

	return address >= (low & ~UINT64_C(4095)) && address <= ((high - 1) | 4095);
}

/* Whether a stack ends at this return address: nobody has called from there, and the code there
 * never returns. */
static bool is_root(uint64_t ra, const struct cps_peek *peek)
{
	struct cps_regs root = {.r[CPS_REG_PC] = ra};

	return !cps_call_comes_before(ra) && cps_module_find(ra) != CPS_MODULE_NONE &&
	       cps_ahead(&root, peek, false) == CPS_AHEAD_NEVER;
}

/* A function that was interrupted and has no unwind information may be a leaf, as assembly often
 * is. Its return address is then on top of the stack. */
static bool leaf_step(struct cps_bare *f, const struct cps_peek *peek)
{
	uint64_t sp = f->regs.r[CPS_REG_SP], ra;

	if (!f->is_exact || !cps_peek(peek, sp, &ra) ||
	    cps_module_find(ra - 1) == CPS_MODULE_NONE ||
	    !(cps_call_comes_before(ra) || cps_signal_frame_returns_to(f->key_high, ra) ||
	      is_root(ra, peek)))
		return false;
	f->regs.r[CPS_REG_SP] = sp + 8;
	f->regs.r[CPS_REG_PC] = ra;
	return true;
}

/* Whether the chain of frame pointers ends here, in generated code that returns to generated code: there
 * a runtime lets its stacks begin, at the address of a function that nobody has called (Erlang). */
static bool ends_chain(uintptr_t pc, const struct cps_call_chain *chain, uint64_t ra)
{
	return !chain->next && cps_unlisted_is_code(pc) && cps_unlisted_is_code(ra);
}

/* Steps by the frame pointer: one that makes sense is better than nothing. The caller's frame
 * pointer that it has saved need not make sense, because the caller may use the register for
 * something else. The outermost one is 0. */
static bool frame_pointer_step(struct cps_bare *f, uintptr_t pc, const struct cps_peek *peek)
{
	uint64_t fp = f->regs.r[CPS_REG_FP], ra;
	struct cps_call_chain chain = {.fp = fp, .high = peek->high};

	if (!(f->regs.valid & 1u << CPS_REG_FP) || fp < f->regs.r[CPS_REG_SP] ||
	    !cps_peek(peek, fp, &chain.next) || !cps_peek(peek, fp + 8, &ra) ||
	    (ra && (is_on_stack(f, peek, ra) ||
		    !(cps_call_returns(ra, &chain) || ends_chain(pc, &chain, ra) ||
		      (!chain.next && is_root(ra, peek))))))
		return false;
	f->regs.r[CPS_REG_SP] = fp + 16;
	f->regs.r[CPS_REG_FP] = chain.next;
	f->regs.r[CPS_REG_PC] = ra;
	f->regs.valid = 1u << CPS_REG_FP | 1u << CPS_REG_SP | 1u << CPS_REG_PC;
	f->sp_is_of_fp = true;
	return true;
}

/* Steps by what the code will do. sp may be wrong, and generated code can have become other code:
 * then what was known of it is looked at again. */
static enum cps_ahead step_ahead(struct cps_bare *f, const struct cps_peek *peek)
{
	uintptr_t pc = f->regs.r[CPS_REG_PC];

	for (int i = 0; i < 2; i++) {
		struct cps_regs caller = f->regs;
		enum cps_ahead ahead = cps_ahead(&caller, peek, f->is_exact);
		uint64_t ra = caller.r[CPS_REG_PC];

		if (ahead != CPS_AHEAD_RETURNS)
			return ahead;
		if (!is_on_stack(f, peek, ra) && (cps_call_comes_before(ra) || is_root(ra, peek))) {
			f->regs = caller;
			f->sp_is_of_fp = false;
			return ahead;
		}
		cps_ahead_forget(pc);
	}
	return CPS_AHEAD_UNKNOWN;
}

/* Where the stack pointer is what a frame pointer says, generated code is believed its frame
 * pointer first: it may have put arguments there before a call, and its callee takes them away. */
enum cps_bare_step cps_bare_step(struct cps_bare *f, uintptr_t pc, struct cps_peek *peek)
{
	bool by_fp_first = f->sp_is_of_fp && cps_module_find(pc) == CPS_MODULE_NONE;
	enum cps_ahead ahead = by_fp_first ? CPS_AHEAD_UNKNOWN : step_ahead(f, peek);

	if (ahead == CPS_AHEAD_RETURNS)
		return CPS_BARE_WENT;
	cps_peek_guess(peek);
	if (leaf_step(f, peek) || frame_pointer_step(f, pc, peek))
		return CPS_BARE_WENT;
	if (by_fp_first)
		ahead = step_ahead(f, peek);
	if (ahead == CPS_AHEAD_RETURNS)
		return CPS_BARE_WENT;
	if (cps_unlisted_is_code(pc) && cps_borrowed_step(&f->regs, peek)) {
		f->sp_is_of_fp = false;
		return CPS_BARE_WENT;
	}
	if (f->sp_is_of_fp && !f->regs.r[CPS_REG_FP] && cps_unlisted_is_code(pc))
		return CPS_BARE_ROOT;
	return ahead == CPS_AHEAD_NEVER && !f->is_exact ? CPS_BARE_ROOT : CPS_BARE_LOST;
}
