/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - walks the stack, by the unwinder that was chosen.
 */
#include <stdatomic.h>

#include "arch/arch.h"
#include "base/moment.h"
#include "unwind/cfi.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "unwind/registered.h"
#include "unwind/row.h"
#include "unwind/signal_frame.h"
#include "unwind/step_without_cfi.h"
#include "unwind/unwind.h"
#include "base/poison.h"

/* ---- unwinder -------------------------------------------------------------------------------- */
/*
 * Knows which unwinder follows the stacks of samples.
 *
 * In: a choice. Out: that unwinder.
 */

static void walk_natively(const ucontext_t *context, const struct cps_peek *bounds,
			  struct cps_stack *stack)
{
	struct cps_regs regs;

	cps_regs_of_context(&regs, context);
	cps_unwind(&regs, bounds, stack);
}

const struct cps_unwinder cps_unwinder_native = {CPS_UNWINDER_NATIVE, walk_natively};

/* Order: what the unwinder needs is there before its address is released. */
static _Atomic(const struct cps_unwinder *) in_use = &cps_unwinder_native;

void cps_unwinder_use(const struct cps_unwinder *unwinder)
{
	atomic_store(&in_use, unwinder);
}

const struct cps_unwinder *cps_unwinder_in_use(void)
{
	return atomic_load_explicit(&in_use, memory_order_acquire);
}

/* ---- unwind ---------------------------------------------------------------------------------- */
/*
 * Walks the stack by cached rows of call frame information.
 *
 * In: registers. Out: addresses, innermost first. Most frames need one look into the cache and two
 * loads. What the cache cannot express (signal frames, linkage tables, realigned stacks) takes the
 * interpreter. The unwinder takes no lock, allocates nothing and never calls the loader.
 *
 * When a walk arrives at a frame of the previous sample's stack with the same registers, it
 * compares instead of stepping, until a word differs (trail.h).
 *
 * The interpreter may need a register that the quick steps did not follow. The walk then begins
 * again, with all registers followed.
 */

#define QUICK_REGS (CPS_REGS_BIT(CPS_REG_FP) | CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_PC))
#define STEPS_MAX  (1u << 22)
#define CHUNK	   4096u /* steps between two looks at the budget */
#define DOWN_MAX   64	 /* steps of one walk that do not go up the same stack */

struct walk {
	struct cps_regs regs;
	struct cps_peek *peek;
	struct cps_stack *out;
	const struct cps_trail *trail;
	uint64_t next_sp; /* sp of the trail's frame `at`; UINT64_MAX: no frame can be met */
	uint64_t seen;	  /* frames that are not the trail's, with those that are left out */
	uint64_t key_high;
	uint64_t fp_at; /* of the current frame, as in struct cps_frame */
	uint64_t join;	/* fp_at of frame `joined` */
	/* Frames of the trail: where the walk met it; where it is now, or may meet it next. */
	uint32_t joined, at;
	bool is_joined;
	bool follow_all;
	unsigned down;	  /* steps that did not go up the same stack, so far */
	bool is_exact;	  /* pc is the current instruction, not a return address */
	bool sp_is_of_fp; /* sp is where a frame pointer says, which may be below arguments */
};

static inline void put(struct walk *w, const struct cps_frame *frame)
{
	uint64_t i = w->seen++;
	uint32_t inner = w->out->room / 2;

	if (i >= w->out->room) {
		w->next_sp = UINT64_MAX;
		i = inner + (i - inner) % (w->out->room - inner);
	}
	w->out->frames[i] = *frame;
}

static inline bool is_at(const struct walk *w, uint32_t i, const struct cps_frame *here)
{
	const struct cps_frame *f;

	if (i >= w->trail->depth)
		return false;
	f = cps_trail_frame(w->trail, i);
	return f->sp == here->sp && f->pc == here->pc && f->fp == here->fp;
}

/* Finds the next frame of the trail that the walk may meet. Going outward, sp rises both in the
 * trail and in the walk. */
static inline void look_from(struct walk *w, uint32_t i, uint64_t sp)
{
	const uint32_t depth = w->trail->depth;
	uint64_t next = UINT64_MAX;

	while (i < depth && (next = cps_trail_frame(w->trail, i)->sp) < sp)
		i++;
	w->at = i;
	w->next_sp = i < depth ? next : UINT64_MAX;
}

/* The walk has come to a frame that is not the trail's next one: the frames that they had in common
 * are copied. */
static void part(struct walk *w)
{
	struct cps_frame first = *cps_trail_frame(w->trail, w->joined);

	first.fp_at = w->join;
	w->is_joined = false;
	look_from(w, w->at + 1, 0);
	put(w, &first);
	for (uint32_t i = w->joined + 1; i < w->at; i++)
		put(w, cps_trail_frame(w->trail, i));
}

static bool meet(struct walk *w, const struct cps_frame *here)
{
	look_from(w, w->at, here->sp);
	if (!is_at(w, w->at, here))
		return false;
	w->is_joined = true;
	w->joined = w->at;
	w->join = here->fp_at;
	return true;
}

/* Continues by the trail for as long as its words are unchanged. The walk is then at the last such
 * frame. False: it has not moved. */
static bool follow(struct walk *w)
{
	uint32_t to = w->follow_all ? w->at : cps_trail_follow(w->trail, w->at, w->peek);
	const struct cps_frame *f = cps_trail_frame(w->trail, to);

	if (to == w->at)
		return false;
	w->at = to;
	w->regs.r[CPS_REG_PC] = f->pc + 1;
	w->regs.r[CPS_REG_SP] = f->sp;
	w->regs.r[CPS_REG_FP] = f->fp;
	w->regs.valid = QUICK_REGS;
	w->is_exact = false;
	return true;
}

/* Notes the frame that the walk is at. True: it has then continued by the trail to another frame,
 * which is noted, too. */
static inline bool note(struct walk *w, uintptr_t pc)
{
	struct cps_frame here = {pc, w->regs.r[CPS_REG_SP], w->regs.r[CPS_REG_FP], w->fp_at};

	if (w->is_joined) {
		if (is_at(w, w->at + 1, &here)) {
			w->at++;
			return follow(w);
		}
		part(w);
	}
	if (here.sp >= w->next_sp && meet(w, &here))
		return follow(w);
	put(w, &here);
	return false;
}

/*
 * Whether a caller may have this stack pointer, which does not lie further up the callee's stack. There
 * are two such cases. The interrupted function may have its return address in a register, as vfork does: then
 * both stack pointers are the same. And a function may call another one on a second stack, which can
 * lie anywhere (coroutines, Rust's stacker).
 */
static bool switches_stack(struct walk *w, uint64_t sp)
{
	if (++w->down > DOWN_MAX || sp < 4096)
		return false;
	if (sp == w->regs.r[CPS_REG_SP])
		return w->is_exact;
	/* Outside of the known bounds is another stack, of which nothing is known. */
	if (sp < w->peek->low || sp >= w->peek->high)
		cps_peek_leave(w->peek);
	return true;
}

/* Whether what a row needs is known. A return address that is in its register is so in one frame of a walk only, the
 * interrupted one, and that need have no memory of its own. */
static inline bool is_known(const struct walk *w, enum cps_row_ra where, uint64_t cfa,
			    uint32_t *mark)
{
	bool is_in_register = where == CPS_RA_IN_REGISTER;

	if (is_in_register && !(w->is_exact && w->regs.valid & CPS_REGS_BIT(CPS_REG_RA)))
		*mark = CPS_MARK_NO_RECIPE;
	else if (cfa == w->regs.r[CPS_REG_SP] && !is_in_register)
		*mark = CPS_MARK_NO_PROGRESS;
	else
		return true;
	return false;
}

/* Where sp is only known not to be above the frame record, since frame pointers have led here: a function that calls others has
 * the address of its record in the frame pointer. Other rows make no progress. */
static inline uint64_t find_cfa(const struct walk *w, enum cps_row_ra where, int64_t fp_offset)
{
	if (where != CPS_RA_BESIDE_FP || !(w->regs.valid & CPS_REGS_BIT(CPS_REG_FP)))
		return w->regs.r[CPS_REG_SP];
	return w->regs.r[CPS_REG_FP] - (uint64_t)fp_offset;
}

/* The words that a row speaks of: the return address, and the caller's fp. `slot` is what fp_offset gives. */
static inline bool read_words(struct walk *w, enum cps_row_ra where, uint64_t cfa, uint64_t slot,
			      bool has_slot, uint64_t *ra)
{
	uint64_t at = where == CPS_RA_BELOW_CFA	  ? cfa - CPS_REGS_RA_BELOW
		      : where == CPS_RA_BESIDE_FP ? slot + CPS_REGS_RA_ABOVE_FP
						  : slot;
	bool is_in_register = where == CPS_RA_IN_REGISTER;

	if (is_in_register)
		*ra = w->regs.r[CPS_REG_RA];
	else if (!cps_peek(w->peek, at, ra))
		return false;
	*ra = cps_regs_strip(*ra);
	return !has_slot || cps_peek(w->peek, slot, &w->regs.r[CPS_REG_FP]);
}

static inline bool quick_step(struct walk *w, uint64_t row, uint32_t *mark)
{
	int64_t cfa_offset = cps_row_cfa(row), fp_offset = cps_row_fp(row);
	const enum cps_row_ra where = cps_row_ra(row);
	uint64_t sp = w->regs.r[CPS_REG_SP], ra;
	uint64_t cfa =
		w->regs.r[row & CPS_ROW_FROM_FP ? CPS_REG_FP : CPS_REG_SP] + (uint64_t)cfa_offset;
	bool has_fp = fp_offset && where != CPS_RA_ALONE;

	if (CPS_REGS_HAS_LINK && !(w->regs.valid & CPS_REGS_BIT(CPS_REG_SP)))
		cfa = find_cfa(w, where, fp_offset);

	/* Whether the caller's stack is another one: it lies lower, or above the end of this one. */
	bool leaves = cfa < sp || (w->peek->high && cfa > w->peek->high);

	if (!is_known(w, where, cfa, mark))
		return false;
	if (leaves && !switches_stack(w, cfa)) {
		*mark = CPS_MARK_NO_PROGRESS;
		return false;
	}
	if (!read_words(w, where, cfa, cfa + (uint64_t)fp_offset, has_fp, &ra)) {
		*mark = CPS_MARK_BAD_MEMORY;
		return false;
	}
	if (leaves && !cps_call_comes_before(ra)) {
		*mark = CPS_MARK_NO_PROGRESS;
		return false;
	}
	if (!(row & CPS_ROW_OWN))
		w->fp_at = has_fp	       ? cfa + (uint64_t)fp_offset
			   : CPS_REGS_HAS_LINK ? CPS_TRAIL_OTHER
					       : 0;
	w->regs.r[CPS_REG_SP] = cfa;
	w->regs.r[CPS_REG_PC] = ra;
	w->regs.valid = QUICK_REGS; /* quick steps follow no others */
	w->is_exact = false;
	return true;
}

/* The walk goes on where a signal has come. The handler may have run on an alternate stack: it is not
 * known whether memory beyond it is mapped. */
static void go_on_at(struct walk *w, const struct cps_regs *regs)
{
	if (regs->r[CPS_REG_SP] < w->peek->low || regs->r[CPS_REG_SP] >= w->peek->high)
		cps_peek_leave(w->peek);
	w->regs = *regs;
	w->is_exact = true;
}

/* Steps over a signal frame: the kernel has put all registers on the stack. */
static bool signal_step(struct walk *w, uint32_t *mark)
{
	struct cps_regs regs;

	if (!cps_signal_frame_read(cps_regs_returned_context(w->regs.r[CPS_REG_SP]), w->peek,
				   &regs)) {
		*mark = CPS_MARK_BAD_MEMORY;
		return false;
	}
	/* A context that restores itself would be walked for ever. */
	if (regs.r[CPS_REG_SP] <= w->regs.r[CPS_REG_SP] && ++w->down > DOWN_MAX) {
		*mark = CPS_MARK_NO_PROGRESS;
		return false;
	}
	go_on_at(w, &regs);
	return true;
}

static void skip_new_handler(struct walk *w)
{
	struct cps_regs regs = w->regs;

	if (cps_signal_frame_skip_new(&regs, w->key_high, w->peek))
		go_on_at(w, &regs);
}

enum outcome { WENT, STOPPED, START_OVER, GOES_ON };

static enum outcome slow_step(struct walk *w, uintptr_t pc, uint32_t *mark)
{
	bool is_sure, is_exact = false;
	uint32_t number = cps_module_find_now(pc, &is_sure);
	struct cps_regs caller = w->regs;
	struct cps_registered registered;
	const struct cps_module *m = cps_registered_module(number, &pc, &registered);
	enum cps_step step = CPS_STEP_NO_RECIPE;

	if (m) {
		step = cps_cfi_step(m, pc, &caller, w->peek, &is_exact);
		/* The registers of a caller on another stack may be saved outside of this one. */
		if (step == CPS_STEP_BAD_MEMORY && w->peek->high) {
			cps_peek_leave(w->peek);
			caller = w->regs;
			step = cps_cfi_step(m, pc, &caller, w->peek, &is_exact);
		}
	}
	if (step == CPS_STEP_UNKNOWN_REGISTER && !w->follow_all)
		return START_OVER;
	if (step == CPS_STEP_OK && caller.r[CPS_REG_SP] <= w->regs.r[CPS_REG_SP] &&
	    (!switches_stack(w, caller.r[CPS_REG_SP]) ||
	     (!is_exact && !cps_call_comes_before(caller.r[CPS_REG_PC])))) {
		*mark = CPS_MARK_NO_PROGRESS;
		return STOPPED;
	}
	if (step != CPS_STEP_OK) {
		*mark = step == CPS_STEP_BAD_MEMORY ? CPS_MARK_BAD_MEMORY : CPS_MARK_NO_RECIPE;
		return STOPPED;
	}
	w->regs = caller;
	w->is_exact = is_exact;
	return WENT;
}

/* Steps out of code that has no unwind information. */
static enum outcome bare_step(struct walk *w, uintptr_t pc, uint32_t *mark)
{
	struct cps_step_without_cfi from = {.regs = w->regs,
					    .key_high = w->key_high,
					    .is_exact = w->is_exact,
					    .sp_is_of_fp = w->sp_is_of_fp};
	enum cps_step_without_cfi_step step = cps_step_without_cfi_step(&from, pc, w->peek);
	uint64_t sp = from.regs.r[CPS_REG_SP];

	if (step != CPS_BARE_WENT) {
		*mark = step == CPS_BARE_ROOT ? CPS_MARK_COMPLETE : CPS_MARK_NO_RECIPE;
		return STOPPED;
	}
	if (sp <= w->regs.r[CPS_REG_SP] && !switches_stack(w, sp)) {
		*mark = CPS_MARK_NO_PROGRESS;
		return STOPPED;
	}
	if (w->peek->high && sp > w->peek->high)
		cps_peek_leave(w->peek);
	w->regs = from.regs;
	w->is_exact = false;
	w->sp_is_of_fp = from.sp_is_of_fp;
	return WENT;
}

/* Whether the frame is one of those that are left out. */
static inline bool is_left_out(const struct walk *w, uint64_t row, uintptr_t pc)
{
	return row & CPS_ROW_OWN || (!w->seen && !w->is_joined && cps_trail_is_inner(w->out, pc));
}

static enum outcome walk_some(struct walk *w, uint32_t *mark)
{
	for (uint32_t i = 0; i < CHUNK; i++) {
		uintptr_t pc = w->regs.r[CPS_REG_PC] - !w->is_exact;
		enum cps_row_kind kind;
		uint64_t row;

		if (w->regs.r[CPS_REG_PC] == 0)
			return STOPPED; /* a return address of 0 ends a stack, too */
		row = cps_row_of(w->key_high, pc, w->peek->is_guess);
		if (!is_left_out(w, row, pc) && note(w, pc)) {
			pc = w->regs.r[CPS_REG_PC] - 1;
			row = cps_row_of(w->key_high, pc, w->peek->is_guess);
		}
		kind = row & CPS_ROW_KIND;
		w->fp_at = CPS_TRAIL_OTHER;
		if (kind == CPS_ROW_FAST && !w->follow_all) {
			if (!quick_step(w, row, mark))
				return STOPPED;
		} else if (kind == CPS_ROW_END) {
			return STOPPED;
		} else if (kind == CPS_ROW_SIGNAL ||
			   (kind == CPS_ROW_NONE && cps_cfi_is_returned(&w->regs, pc))) {
			if (!signal_step(w, mark))
				return STOPPED;
		} else if (kind == CPS_ROW_NONE) {
			if (bare_step(w, pc, mark) != WENT)
				return STOPPED;
		} else {
			enum outcome outcome = slow_step(w, pc, mark);

			if (outcome != WENT)
				return outcome;
		}
	}
	return GOES_ON;
}

/* Leaves out the middle of a stack that is too deep to be walked: its outer end is that of the
 * trail, if that is unchanged. False: it is not, and the walk has parted from the trail. */
static bool leap(struct walk *w, uint32_t *mark)
{
	uint32_t half = w->out->room / 2, i, n;

	if (w->is_joined)
		part(w);
	i = cps_trail_unchanged_end(w->trail, half - 1, w->regs.r[CPS_REG_SP], w->peek);
	if (!i)
		return false;
	n = w->seen < half ? (uint32_t)w->seen : half;
	w->out->frames[n++] = (struct cps_frame){.pc = CPS_CUT_ADDRESS};
	for (; i < w->trail->depth; i++)
		w->out->frames[n++] = *cps_trail_frame(w->trail, i);
	w->seen = n;
	*mark = CPS_MARK_TOO_DEEP;
	return true;
}

/* Whether more frames were seen than are ever kept. It is enough that the inner half is full if the
 * previous stack was cut as well. */
static bool has_enough(const struct walk *w)
{
	const struct cps_stack *s = w->out;
	uint64_t seen = w->seen + (w->is_joined ? w->at - w->joined : 0);

	return s->room == s->keep && seen >= (w->trail->is_cut ? s->room / 2 : s->room);
}

/* Walks until the stack or the budget ends. If a stack has more frames than can be kept, and its
 * outer end is known, the frames in between are not walked. */
static enum outcome walk_on(struct walk *w, uint32_t *mark)
{
	enum outcome outcome;

	for (uint32_t steps = CHUNK; (outcome = walk_some(w, mark)) == GOES_ON; steps += CHUNK) {
		bool is_over = steps >= STEPS_MAX || (w->out->until && steps >= CPS_UNWIND_LEAST &&
						      cps_moment_ns() >= w->out->until);
		if ((is_over || has_enough(w)) && leap(w, mark))
			return STOPPED;
		if (is_over) {
			*mark = CPS_MARK_BOUNDED;
			return STOPPED;
		}
	}
	return outcome;
}

/* Ends the walk. The frames that it has in common with the trail stay in the trail if they go to
 * the end of both; otherwise they are copied. */
static void finish(struct walk *w)
{
	struct cps_stack *s = w->out;
	uint32_t kept = 0;

	if (w->is_joined) {
		kept = w->trail->depth - w->joined;
		if (w->at + 1 != w->trail->depth || w->seen + kept > s->room) {
			part(w);
			kept = 0;
		}
	}
	s->join = w->join;
	s->fresh = (uint32_t)w->seen;
	s->seen = w->seen;
	if (w->seen > s->room)
		cps_trail_stack_close_ring(s, w->seen);
	s->depth = s->fresh + kept;
}

void cps_unwind(const struct cps_regs *regs, const struct cps_peek *bounds, struct cps_stack *stack)
{
	uint32_t generation = cps_module_generation();
	const struct cps_trail none = {.depth = 0}, *trail = stack->trail;
	struct cps_peek_copy copy;

	if (!trail || trail->generation != generation)
		trail = &none;
	stack->generation = generation;
	for (int pass = 0; pass < 2 && cps_row_prepare(); pass++) {
		struct cps_peek peek = {.low = bounds->low,
					.high = bounds->high,
					.direct = bounds->high - bounds->low,
					.copy = &copy};
		struct walk w = {.regs = *regs,
				 .peek = &peek,
				 .out = stack,
				 .trail = trail,
				 .key_high = cps_row_key_high(generation),
				 .fp_at = CPS_TRAIL_OTHER,
				 .follow_all = pass == 1,
				 .is_exact = true};

		stack->mark = CPS_MARK_COMPLETE;
		copy.page = 0;
		skip_new_handler(&w);
		if (walk_on(&w, &stack->mark) == START_OVER)
			continue;
		finish(&w);
		return;
	}
	stack->depth = stack->fresh = 0;
	stack->seen = 0;
}
