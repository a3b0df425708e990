/* SPDX-License-Identifier: MIT */
/*
 * step_without_cfi.c - steps where no unwind information leads.
 */
#include "unwind/cfi.h"
#include "unwind/code_simulate.h"
#include "unwind/fde.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "unwind/signal_frame.h"
#include "unwind/step_without_cfi.h"
#include "unwind/unlisted.h"
#include "base/poison.h"

/* ---- luajit frame ---------------------------------------------------------------------------- */
/*
 * Finds the caller of generated code that runs on the frame of an interpreter.
 *
 * LuaJIT's interpreter does not call the code that it has compiled but jumps there. The code has no
 * frame of its own: it extends that of the interpreter, by as much as it needs. No table says by
 * how much. But the interpreter has one, and it was called (doc/decisions/0070).
 *
 * In: the stack pointer, the stack. Out: the registers of the interpreter's caller. What is looked
 * for is the return address of a call that leads straight to a large function, as only interpreters
 * are, and the whole frame of that function has to lie between stack pointer and return address.
 *
 * Order: each word of `others` is a key by itself.
 */

#define BITS	     10
#define WORDS_MAX    256u  /* of both frames; LuaJIT's code has 1 KiB of its own at most */
#define LARGE_BYTES  8192u /* LuaJIT's interpreter has 16 KiB */
#define ROWS_MAX     16u   /* of a prologue */
#define BETWEEN_MOST 16u   /* bytes in which no other frame has room */

/* Return addresses of other calls, together with the generation. */
static _Atomic uint64_t others[1u << BITS];

/* What is known of a return address. */
struct call {
	uint32_t module; /* it lies in, or CPS_MODULE_NONE */
	enum cps_regs_target kind;
	uintptr_t target; /* in the same file; or 0 */
};

static struct call call_before(uintptr_t ra)
{
	struct call c = {.module = cps_module_find(ra - 1)};
	uint8_t code[CPS_REGS_TARGET_BYTES];

	if (c.module == CPS_MODULE_NONE || !cps_module_copy(code, ra - sizeof(code), sizeof(code)))
		return c;
	c.kind = cps_regs_target(code, ra, &c.target);
	if (c.kind == CPS_REGS_UNKNOWN ||
	    (c.kind == CPS_REGS_STORED &&
	     !cps_module_copy(&c.target, c.target, sizeof(c.target))) ||
	    cps_module_find(c.target) != c.module)
		c.target = 0;
	return c;
}

/* A large function, and its row where its frame is as large as it gets at first. */
struct host {
	uintptr_t start, end;
	struct cps_row row;
};

static bool find_host(const struct call *call, struct host *host)
{
	uintptr_t pc = call->target;
	const struct cps_module *m = cps_module_listed(call->module, &pc);
	struct cps_fde_window window;
	struct cps_row next;
	struct cps_fde fde;

	host->row.cfa_offset = 0;
	if (!m || !cps_fde_find(m, pc, m->is_lasting ? NULL : &window, &fde) ||
	    fde.end - fde.start < LARGE_BYTES)
		return false;
	host->start = fde.start - pc + call->target;
	host->end = fde.end - pc + call->target;
	pc = fde.start;
	for (unsigned i = 0; i < ROWS_MAX && pc < fde.end; i++, pc = next.until) {
		cps_cfi_row(m, pc, true, &next);
		if (next.kind != CPS_ROW_FAST || next.from_fp ||
		    next.cfa_offset < host->row.cfa_offset)
			break;
		host->row = next;
	}
	return host->row.cfa_offset > 0;
}

/* Whether the host has called what lies below it, so that it has not given its frame away. What lies there may
 * also be left over from a call that is over, by which it cannot have come to generated code if that
 * call says itself where it leads and nothing else lies in between. */
static bool has_called(const struct host *host, uint64_t sp, uint64_t host_sp,
		       const struct cps_peek *peek)
{
	uint64_t ra;

	if (host_sp == sp || !cps_peek(peek, host_sp - CPS_REGS_RA_BELOW, &ra) ||
	    ra <= host->start || ra > host->end || !cps_call_comes_before(ra))
		return false;
	return host_sp - sp > BETWEEN_MOST || call_before(ra).kind != CPS_REGS_DIRECT;
}

/* Whether the return address is that of a call of a host. Stacks have the same return addresses again and
 * again, and to see that one is none may take system calls. */
static bool leads_to_host(uintptr_t ra, struct host *host)
{
	uint64_t key = ra ^ (uint64_t)cps_module_generation() << 48;
	_Atomic uint64_t *none = &others[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
	struct call call;

	if (ra < 4096 || atomic_load_explicit(none, memory_order_relaxed) == key)
		return false;
	call = call_before(ra);
	if (call.target && find_host(&call, host))
		return true;
	atomic_store_explicit(none, key, memory_order_relaxed);
	return false;
}

/* Replace the registers by those of the interpreter's caller. False: there is none near. */
static bool cps_luajit_frame_step(struct cps_regs *regs, const struct cps_peek *peek)
{
	uint64_t sp = regs->r[CPS_REG_SP], cfa = (sp + 31) & ~UINT64_C(15);
	uint64_t last = cfa + WORDS_MAX * 8, ra;
	struct cps_row *row;
	struct host host;

	for (;; cfa += 16) {
		if (cfa > last || !cps_peek(peek, cfa - CPS_REGS_RA_BELOW, &ra))
			return false;
		if (leads_to_host(ra, &host) && cfa - sp >= (uint64_t)host.row.cfa_offset)
			break;
	}
	row = &host.row;
	if (has_called(&host, sp, cfa - (uint64_t)row->cfa_offset, peek) ||
	    (row->fp_offset &&
	     !cps_peek(peek, cfa + (uint64_t)(int64_t)row->fp_offset, &regs->r[CPS_REG_FP])))
		return false;
	regs->r[CPS_REG_SP] = cfa;
	regs->r[CPS_REG_PC] = ra;
	regs->valid = CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_PC) |
		      (row->fp_offset ? CPS_REGS_BIT(CPS_REG_FP) : 0);
	return true;
}

/* ---- step without cfi ------------------------------------------------------------------------ */
/*
 * In: registers, code, the stack. Out: the caller's registers, or that the stack ends here.
 */

/* Whether the address lies on the stack, so that it cannot be code. The words of a stack can look
 * like a call, which one address of a stack in 200 does. Where the bounds are not known, the stack
 * reaches at least from the stack pointer to the frame pointer. */
static bool is_on_stack(const struct cps_step_without_cfi *f, const struct cps_peek *peek,
			uint64_t address)
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
	       cps_code_simulate(&root, peek, false) == CPS_AHEAD_NEVER;
}

/* A function that was interrupted and has no unwind information may be a leaf, as assembly often
 * is. Its return address is then where a call has put it. */
static bool leaf_step(struct cps_step_without_cfi *f, const struct cps_peek *peek)
{
	uint64_t sp = f->regs.r[CPS_REG_SP], ra;

	if (!f->is_exact || !cps_signal_frame_ra_at_entry(&f->regs, peek, &ra) ||
	    cps_module_find(ra - 1) == CPS_MODULE_NONE ||
	    !(cps_call_comes_before(ra) || cps_signal_frame_returns_to(f->key_high, ra) ||
	      is_root(ra, peek)))
		return false;
	f->regs.r[CPS_REG_SP] = sp + CPS_REGS_RA_BELOW;
	f->regs.r[CPS_REG_PC] = ra;
	if (CPS_REGS_HAS_LINK)
		f->regs.valid &= ~CPS_REGS_BIT(CPS_REG_RA);
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
static bool frame_pointer_step(struct cps_step_without_cfi *f, uintptr_t pc,
			       const struct cps_peek *peek)
{
	uint64_t fp = f->regs.r[CPS_REG_FP], ra;
	struct cps_call_chain chain = {.fp = fp, .high = peek->high};

	if (!(f->regs.valid & CPS_REGS_BIT(CPS_REG_FP)) || fp < f->regs.r[CPS_REG_SP] ||
	    !cps_peek(peek, fp, &chain.next) || !cps_peek(peek, fp + CPS_REGS_RA_ABOVE_FP, &ra))
		return false;
	ra = cps_regs_strip(ra);
	if (ra && (is_on_stack(f, peek, ra) ||
		   !(cps_call_returns(ra, &chain) || ends_chain(pc, &chain, ra) ||
		     (!chain.next && is_root(ra, peek)))))
		return false;
	f->regs.r[CPS_REG_SP] = fp + 16;
	f->regs.r[CPS_REG_FP] = chain.next;
	f->regs.r[CPS_REG_PC] = ra;
	f->regs.valid = CPS_REGS_BIT(CPS_REG_FP) | CPS_REGS_BIT(CPS_REG_PC);
	if (!CPS_REGS_HAS_LINK) /* elsewhere the caller's frame record may lie anywhere below its frame's end */
		f->regs.valid |= CPS_REGS_BIT(CPS_REG_SP);
	f->sp_is_of_fp = true;
	return true;
}

/* Steps by what the code will do. sp may be wrong, and generated code can have become other code:
 * then what was known of it is looked at again. */
static enum cps_code_simulate step_ahead(struct cps_step_without_cfi *f,
					 const struct cps_peek *peek)
{
	uintptr_t pc = f->regs.r[CPS_REG_PC];

	for (int i = 0; i < 2; i++) {
		struct cps_regs caller = f->regs;
		enum cps_code_simulate ahead = cps_code_simulate(&caller, peek, f->is_exact);
		uint64_t ra = caller.r[CPS_REG_PC];

		if (ahead != CPS_AHEAD_RETURNS)
			return ahead;
		if (!is_on_stack(f, peek, ra) && (cps_call_comes_before(ra) || is_root(ra, peek))) {
			f->regs = caller;
			f->sp_is_of_fp = false;
			return ahead;
		}
		cps_code_simulate_forget(pc);
	}
	return CPS_AHEAD_UNKNOWN;
}

/* Where the stack pointer is what a frame pointer says, generated code is believed its frame
 * pointer first: it may have put arguments there before a call, and its callee takes them away. */
enum cps_step_without_cfi_step cps_step_without_cfi_step(struct cps_step_without_cfi *f,
							 uintptr_t pc, struct cps_peek *peek)
{
	bool by_fp_first = f->sp_is_of_fp && cps_module_find(pc) == CPS_MODULE_NONE;
	enum cps_code_simulate ahead = by_fp_first ? CPS_AHEAD_UNKNOWN : step_ahead(f, peek);

	if (ahead == CPS_AHEAD_RETURNS)
		return CPS_BARE_WENT;
	cps_peek_guess(peek);
	if (leaf_step(f, peek) || frame_pointer_step(f, pc, peek))
		return CPS_BARE_WENT;
	if (by_fp_first)
		ahead = step_ahead(f, peek);
	if (ahead == CPS_AHEAD_RETURNS)
		return CPS_BARE_WENT;
	if (cps_unlisted_is_code(pc) && cps_luajit_frame_step(&f->regs, peek)) {
		f->sp_is_of_fp = false;
		return CPS_BARE_WENT;
	}
	if (f->sp_is_of_fp && !f->regs.r[CPS_REG_FP] && cps_unlisted_is_code(pc))
		return CPS_BARE_ROOT;
	return ahead == CPS_AHEAD_NEVER && !f->is_exact ? CPS_BARE_ROOT : CPS_BARE_LOST;
}
