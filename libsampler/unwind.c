/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - walks the stack by cached rows of call frame information.
 *
 * Room: signal. In: registers. Out: addresses, innermost first. Most frames need one look into the
 * cache and two loads; what the cache cannot hold (signal frames, linkage tables, realigned stacks)
 * takes the interpreter. No lock, no allocation, no call into the loader.
 *
 * The interpreter may need a register that the quick steps did not follow: then the walk begins
 * again with all registers followed.
 */
#include <stdatomic.h>

#include "cfi.h"
#include "module.h"
#include "unwind.h"
#include "poison.h"

#define CACHE_BITS 15
#define QUICK_REGS (1u << CPS_REG_FP | 1u << CPS_REG_SP | 1u << CPS_REG_PC)
#define STEPS_MAX  (1u << 22)

/*
 * A cached row in 64 bits, with a tag of the address so that two threads that write one slot at the
 * same time cannot make a false pair:
 *
 *   63        40 39       25 24          5   4     3    2   0
 *   | tag (24) | fp/8 (15) | cfa (20)     | own | fp | kind |
 */
struct slot {
	_Atomic uint64_t key; /* address and, in the upper 16 bits, the module table's generation */
	_Atomic uint64_t row;
};

static struct slot cache[1u << CACHE_BITS];

struct walk {
	struct cps_regs regs;
	struct cps_peek *peek;
	struct cps_stack *out;
	uint64_t seen; /* frames, also those that were left out */
	uint64_t key_high;
	bool follow_all;
	bool is_exact; /* pc is where the frame stands, not behind a call */
};

static uint64_t mix(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t pack(const struct cps_row *row, bool own, uint64_t tag)
{
	int32_t cfa = row->cfa_offset, fp = row->fp_offset;
	uint64_t kind = row->kind;

	if (row->kind == CPS_ROW_FAST && (cfa < -(1 << 19) || cfa >= 1 << 19 || fp % 8 ||
					  fp / 8 < -(1 << 14) || fp / 8 >= 1 << 14)) {
		kind = CPS_ROW_SLOW;
		cfa = fp = 0;
	}
	return kind | (uint64_t)row->from_fp << 3 | (uint64_t)own << 4 |
	       ((uint64_t)cfa & 0xfffff) << 5 | ((uint64_t)(fp / 8) & 0x7fff) << 25 | tag << 40;
}

static __attribute__((noinline)) uint64_t learn(uint64_t key, uintptr_t pc, uint64_t tag)
{
	struct slot *slot = &cache[mix(key) >> (64 - CACHE_BITS)];
	struct cps_row row = {.kind = CPS_ROW_NONE};
	bool own = false, is_sure;
	uint32_t number = cps_module_find_now(pc, &is_sure);
	uint64_t packed;

	if (number != CPS_MODULE_NONE) {
		const struct cps_module *m = cps_module_get(number);

		if (!cps_module_read_begin(m))
			return pack(&row, false, tag);
		cps_cfi_row(m, pc, &row);
		own = m->is_own;
		cps_module_read_end(m);
	}
	packed = pack(&row, own, tag);
	if (!is_sure)
		return packed;
	atomic_store_explicit(&slot->key, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->row, packed, memory_order_release);
	atomic_store_explicit(&slot->key, key, memory_order_release);
	return packed;
}

static inline uint64_t row_of(uint64_t key_high, uintptr_t pc)
{
	uint64_t key = key_high | pc;
	uint64_t hash = mix(key);
	uint64_t tag = hash >> (64 - CACHE_BITS - 24) & 0xffffff;
	struct slot *slot = &cache[hash >> (64 - CACHE_BITS)];

	if (atomic_load_explicit(&slot->key, memory_order_acquire) == key) {
		uint64_t row = atomic_load_explicit(&slot->row, memory_order_relaxed);

		if (row >> 40 == tag)
			return row;
	}
	return learn(key, pc, tag);
}

static inline void note(struct walk *w, uintptr_t pc)
{
	uint64_t i = w->seen++;
	uint32_t inner = w->out->room / 2;

	if (i >= w->out->room)
		i = inner + (i - inner) % (w->out->room - inner);
	w->out->frames[i] = pc;
}

static inline bool quick_step(struct walk *w, uint64_t row, uint32_t *mark)
{
	int64_t cfa_offset = (int64_t)(row << 39) >> 44;
	int64_t fp_offset = ((int64_t)(row << 24) >> 49) * 8;
	uint64_t sp = w->regs.r[CPS_REG_SP], ra;
	uint64_t cfa = w->regs.r[row & 8 ? CPS_REG_FP : CPS_REG_SP] + (uint64_t)cfa_offset;

	if (cfa <= sp) {
		*mark = CPS_MARK_NO_PROGRESS;
		return false;
	}
	if (!cps_peek(w->peek, cfa - 8, &ra) ||
	    (fp_offset && !cps_peek(w->peek, cfa + (uint64_t)fp_offset, &w->regs.r[CPS_REG_FP]))) {
		*mark = CPS_MARK_BAD_MEMORY;
		return false;
	}
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
	    (ra && !follows_call(ra))) {
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
		row = row_of(w->key_high, pc);
		kind = row & 7;
		if (!(row & 16))
			note(w, pc);
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

static void reverse(uint64_t *frames, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint64_t t = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = t;
	}
}

/* More frames than there is room: the outer half is a ring; turn it straight and mark the gap. */
static void close_ring(struct walk *w)
{
	uint32_t inner = w->out->room / 2, outer = w->out->room - inner;
	uint64_t *ring = w->out->frames + inner;
	size_t oldest = (w->seen - inner) % outer;

	reverse(ring, oldest);
	reverse(ring + oldest, outer - oldest);
	reverse(ring, outer);
	ring[0] = CPS_CUT_ADDRESS;
	w->out->depth = w->out->room;
	if (w->out->mark == CPS_MARK_COMPLETE)
		w->out->mark = CPS_MARK_TOO_DEEP;
}

void cps_unwind(const struct cps_regs *regs, struct cps_peek *peek, struct cps_stack *stack)
{
	uint64_t high = (uint64_t)(cps_module_generation() & 0xffff) << 48;
	struct cps_peek start = *peek;

	for (int pass = 0; pass < 2; pass++) {
		struct walk w = {.regs = *regs,
				 .peek = peek,
				 .out = stack,
				 .key_high = high,
				 .follow_all = pass == 1,
				 .is_exact = true};

		stack->mark = CPS_MARK_COMPLETE;
		*peek = start;
		if (walk_on(&w, &stack->mark) == START_OVER)
			continue;
		stack->depth = (uint32_t)w.seen;
		if (w.seen > stack->room)
			close_ring(&w);
		return;
	}
	stack->depth = 0;
}
