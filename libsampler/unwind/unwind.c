/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - walks the stack by cached rows of call frame information.
 *
 * In: registers. Out: addresses, innermost first. Most frames need one look into the
 * cache and two loads; what the cache cannot hold (signal frames, linkage tables, realigned stacks)
 * takes the interpreter. No lock, no allocation, no call into the loader.
 *
 * A walk that comes to where the one of the sample before has been compares instead of stepping
 * (trail.h): the two go on together until a word differs.
 *
 * The interpreter may need a register that the quick steps did not follow: then the walk begins
 * again with all registers followed.
 */
#include "unwind/cfi.h"
#include "unwind/module.h"
#include "unwind/row.h"
#include "unwind/unwind.h"
#include "base/poison.h"

#define QUICK_REGS (1u << CPS_REG_FP | 1u << CPS_REG_SP | 1u << CPS_REG_PC)
#define STEPS_MAX  (1u << 22)

struct walk {
	struct cps_regs regs;
	struct cps_peek *peek;
	struct cps_stack *out;
	const struct cps_trail *trail;
	uint64_t next_sp; /* of its frame `at`, if that may be met; else UINT64_MAX */
	uint64_t seen;	  /* frames that are not the trail's, also those left out */
	uint64_t key_high;
	uint64_t fp_at;	     /* of the frame that the walk stands at, as in struct cps_frame */
	uint64_t join;	     /* that of frame `joined` */
	uint32_t joined, at; /* of the trail: where the walk met it, where it stands or may do so */
	bool is_joined;
	bool follow_all;
	bool is_exact; /* pc is where the frame stands, not behind a call */
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

static bool is_at(const struct walk *w, uint32_t i, const struct cps_frame *here)
{
	const struct cps_frame *f;

	if (i >= w->trail->depth)
		return false;
	f = cps_trail_frame(w->trail, i);
	return f->sp == here->sp && f->pc == here->pc && f->fp == here->fp;
}

/* The frame of the trail that may be met. Going outward, sp rises in both. */
static void look_from(struct walk *w, uint32_t i, uint64_t sp)
{
	while (i < w->trail->depth && cps_trail_frame(w->trail, i)->sp < sp)
		i++;
	w->at = i;
	w->next_sp = i < w->trail->depth ? cps_trail_frame(w->trail, i)->sp : UINT64_MAX;
}

/* The walk has come to another frame than the trail: what they had in common is copied. */
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

/* Go on for as long as the trail tells the way: the walk stands at its last frame then. */
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

/* True: the walk stands at another frame now, which is noted. */
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

static inline bool quick_step(struct walk *w, uint64_t row, uint32_t *mark)
{
	int64_t cfa_offset = cps_row_cfa(row), fp_offset = cps_row_fp(row);
	uint64_t sp = w->regs.r[CPS_REG_SP], ra;
	uint64_t cfa =
		w->regs.r[row & CPS_ROW_FROM_FP ? CPS_REG_FP : CPS_REG_SP] + (uint64_t)cfa_offset;

	if (cfa <= sp) {
		*mark = CPS_MARK_NO_PROGRESS;
		return false;
	}
	if (!cps_peek(w->peek, cfa - 8, &ra) ||
	    (fp_offset && !cps_peek(w->peek, cfa + (uint64_t)fp_offset, &w->regs.r[CPS_REG_FP]))) {
		*mark = CPS_MARK_BAD_MEMORY;
		return false;
	}
	if (!(row & CPS_ROW_OWN))
		w->fp_at = fp_offset ? cfa + (uint64_t)fp_offset : 0;
	w->regs.r[CPS_REG_SP] = cfa;
	w->regs.r[CPS_REG_PC] = ra;
	w->regs.valid = QUICK_REGS; /* no others are followed */
	w->is_exact = false;
	return true;
}

/* The kernel put all registers on the stack; sp points to its ucontext. */
static bool signal_step(struct walk *w, uint32_t *mark)
{
	const ucontext_t *uc = (const void *)w->regs.r[CPS_REG_SP];
	struct cps_regs regs = {.valid = CPS_REGS_ALL};

	for (int i = 0; i < CPS_REGS; i++) {
		if (!cps_peek(w->peek, (uintptr_t)&uc->uc_mcontext.gregs[cps_greg_of[i]],
			      &regs.r[i])) {
			*mark = CPS_MARK_BAD_MEMORY;
			return false;
		}
	}
	/* The handler may have run on an alternate stack: what lies beyond is not known to be
	 * mapped. */
	if (regs.r[CPS_REG_SP] < w->peek->low || regs.r[CPS_REG_SP] >= w->peek->high)
		w->peek->low = w->peek->high = 0;
	w->regs = regs;
	w->is_exact = true;
	return true;
}

enum outcome { WENT, STOPPED, START_OVER };

static enum outcome slow_step(struct walk *w, uintptr_t pc, uint32_t *mark)
{
	uint32_t number = cps_module_find(pc);
	struct cps_regs caller = w->regs;
	enum cps_step step = CPS_STEP_NO_RECIPE;

	if (number != CPS_MODULE_NONE && cps_module_read_begin(cps_module_get(number))) {
		step = cps_cfi_step(cps_module_get(number), pc, &caller, w->peek);
		cps_module_read_end(cps_module_get(number));
	}
	if (step == CPS_STEP_UNKNOWN_REGISTER && !w->follow_all)
		return START_OVER;
	if (step == CPS_STEP_OK && caller.r[CPS_REG_SP] <= w->regs.r[CPS_REG_SP]) {
		*mark = CPS_MARK_NO_PROGRESS;
		return STOPPED;
	}
	if (step != CPS_STEP_OK) {
		*mark = step == CPS_STEP_BAD_MEMORY ? CPS_MARK_BAD_MEMORY : CPS_MARK_NO_RECIPE;
		return STOPPED;
	}
	w->regs = caller;
	w->is_exact = false;
	return WENT;
}

/* Does a call stand before this address? Then it may be a return address. */
static bool follows_call(uint64_t ra)
{
	const uint8_t *p = (const uint8_t *)ra;

	if (ra < 4096 || !cps_sys_readable(ra - 8) || !cps_sys_readable((ra - 1) & ~UINT64_C(7)))
		return false;
	return cps_regs_is_call(p);
}

/* A stack is no code, but its words can look like a call: one address of a stack in 200 does. Where the
 * bounds are not known, it reaches at least from the stack pointer to the frame pointer. */
static bool is_on_stack(const struct walk *w, uint64_t address)
{
	bool is_known = w->peek->high != 0;
	uint64_t low = is_known ? w->peek->low : w->regs.r[CPS_REG_SP];
	uint64_t high = is_known ? w->peek->high : w->regs.r[CPS_REG_FP] + 16;

	return address >= (low & ~UINT64_C(4095)) && address <= ((high - 1) | 4095);
}

/* An interrupted function without information may be a leaf, as assembly often is: then the
 * return address is on top of the stack. */
static bool leaf_step(struct walk *w)
{
	uint64_t sp = w->regs.r[CPS_REG_SP], ra;

	if (!w->is_exact || !cps_peek(w->peek, sp, &ra) ||
	    cps_module_find(ra - 1) == CPS_MODULE_NONE || !follows_call(ra))
		return false;
	w->regs.r[CPS_REG_SP] = sp + 8;
	w->regs.r[CPS_REG_PC] = ra;
	w->is_exact = false;
	return true;
}

/* No information at all: a frame pointer that makes sense is better than nothing. What it saved
 * need not make sense: the caller may use the register for something else. */
static bool frame_pointer_step(struct walk *w, uint32_t *mark)
{
	uint64_t fp = w->regs.r[CPS_REG_FP], next, ra;

	if (leaf_step(w))
		return true;
	if (!(w->regs.valid & 1u << CPS_REG_FP) || fp < w->regs.r[CPS_REG_SP] ||
	    !cps_peek(w->peek, fp, &next) || !cps_peek(w->peek, fp + 8, &ra) ||
	    (ra && (is_on_stack(w, ra) || !follows_call(ra)))) {
		*mark = CPS_MARK_NO_RECIPE;
		return false;
	}
	w->regs.r[CPS_REG_SP] = fp + 16;
	w->regs.r[CPS_REG_FP] = next;
	w->regs.r[CPS_REG_PC] = ra;
	w->regs.valid = QUICK_REGS;
	w->is_exact = false;
	return true;
}

static enum outcome walk_on(struct walk *w, uint32_t *mark)
{
	for (uint32_t i = 0; i < STEPS_MAX; i++) {
		uintptr_t pc = w->regs.r[CPS_REG_PC] - !w->is_exact;
		enum cps_row_kind kind;
		uint64_t row;

		if (w->regs.r[CPS_REG_PC] == 0)
			return STOPPED; /* a zero return address ends a stack, too */
		row = cps_row_of(w->key_high, pc);
		if (!(row & CPS_ROW_OWN) && note(w, pc)) {
			pc = w->regs.r[CPS_REG_PC] - 1;
			row = cps_row_of(w->key_high, pc);
		}
		kind = row & CPS_ROW_KIND;
		w->fp_at = CPS_TRAIL_OTHER;
		if (kind == CPS_ROW_FAST && !w->follow_all) {
			if (!quick_step(w, row, mark))
				return STOPPED;
		} else if (kind == CPS_ROW_END) {
			return STOPPED;
		} else if (kind == CPS_ROW_SIGNAL) {
			if (!signal_step(w, mark))
				return STOPPED;
		} else if (kind == CPS_ROW_NONE) {
			if (!frame_pointer_step(w, mark))
				return STOPPED;
		} else {
			enum outcome outcome = slow_step(w, pc, mark);

			if (outcome != WENT)
				return outcome;
		}
	}
	*mark = CPS_MARK_NO_PROGRESS;
	return STOPPED;
}

static void reverse(struct cps_frame *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct cps_frame t = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = t;
	}
}

/* More frames than there is room: the outer half is a ring; turn it straight and mark the gap. */
static void close_ring(struct walk *w)
{
	uint32_t inner = w->out->room / 2, outer = w->out->room - inner;
	struct cps_frame *ring = w->out->frames + inner;
	size_t oldest = (w->seen - inner) % outer;

	reverse(ring, oldest);
	reverse(ring + oldest, outer - oldest);
	reverse(ring, outer);
	ring[0] = (struct cps_frame){.pc = CPS_CUT_ADDRESS};
	w->out->fresh = w->out->room;
	if (w->out->mark == CPS_MARK_COMPLETE)
		w->out->mark = CPS_MARK_TOO_DEEP;
}

/* What the walk and the trail have in common stays where it is if it goes to the end of both. */
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
	if (w->seen > s->room)
		close_ring(w);
	s->depth = s->fresh + kept;
}

void cps_unwind(const struct cps_regs *regs, struct cps_peek *peek, struct cps_stack *stack)
{
	uint32_t generation = cps_module_generation();
	const struct cps_trail none = {.depth = 0}, *trail = stack->trail;
	struct cps_peek start = *peek;

	if (!trail || trail->generation != generation)
		trail = &none;
	stack->generation = generation;
	for (int pass = 0; pass < 2; pass++) {
		struct walk w = {.regs = *regs,
				 .peek = peek,
				 .out = stack,
				 .trail = trail,
				 .key_high = (uint64_t)(generation & 0xffff) << 48,
				 .fp_at = CPS_TRAIL_OTHER,
				 .follow_all = pass == 1,
				 .is_exact = true};

		stack->mark = CPS_MARK_COMPLETE;
		*peek = start;
		if (walk_on(&w, &stack->mark) == START_OVER)
			continue;
		finish(&w);
		return;
	}
	stack->depth = stack->fresh = 0;
}
