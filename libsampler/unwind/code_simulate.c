/* SPDX-License-Identifier: MIT */
/*
 * code_simulate.c - does in thought what code will do until it returns.
 */
#include <stdatomic.h>
#include <string.h>

#include "unwind/code_simulate.h"
#include "unwind/insn.h"
#include "unwind/module.h"
#include "base/poison.h"

/* ---- code simulate --------------------------------------------------------------------------- */
/*
 * Does in thought what the code at an address will do until it returns.
 *
 * In: registers, code. Out: the caller's registers, or that there is no caller.
 *
 * Each register has a value, which is known or not, and its origin: most often it is that of sp or
 * fp at the start and a constant. Then the result is a row, as that of a table is, and is kept.
 */

#define STEPS  48u /* instructions that are executed */
#define STORES 8u
#define NEAR   4096u /* bytes above sp that belong to a function whose sp this is */
#define BITS   10

enum origin {
	NOWHERE, /* the value is not known */
	OF_SP,	 /* sp at the start, and a constant */
	OF_FP,	 /* fp at the start, and a constant */
	LOADED,	 /* the word at `value`, an address of origin `of` */
	OTHER,	 /* known, but made of more */
};

struct datum {
	uint8_t origin, of;
	uint64_t value;
};

struct store {
	uint64_t address;
	struct datum datum;
};

struct mind {
	struct datum r[CPS_REGS];
	struct store stores[STORES];
	unsigned n_stores;
	const struct cps_peek *peek;
	uint64_t sp; /* at the start */
};

static const struct datum nowhere = {NOWHERE, NOWHERE, 0};

/* Reads a word that the code will read. Only its own frame is surely there when it does. */
static bool load(const struct mind *m, uint64_t address, uint64_t *value)
{
	struct cps_peek far = {.is_guess = true, .copy = m->peek->copy};

	if (address - m->sp < NEAR && cps_peek(m->peek, address, value))
		return true;
	return cps_peek(&far, address, value);
}

/* Makes the value known, if it is that of a word in memory. */
static struct datum settled(const struct mind *m, struct datum d)
{
	uint64_t value;

	if (d.origin != LOADED)
		return d;
	if (!load(m, d.value, &value))
		return nowhere;
	return (struct datum){OTHER, NOWHERE, value};
}

static struct datum plus(struct datum d, int64_t constant)
{
	d.value += (uint64_t)constant;
	return d;
}

/* The word at an address, as far as the code has not stored another one there. */
static struct datum word_at(const struct mind *m, struct datum address)
{
	if (address.origin == NOWHERE)
		return nowhere;
	for (unsigned i = m->n_stores; i-- > 0;)
		if (m->stores[i].address == address.value)
			return m->stores[i].datum;
	return (struct datum){LOADED, address.origin, address.value};
}

static void store(struct mind *m, struct datum address, struct datum d)
{
	if (address.origin != NOWHERE && m->n_stores < STORES)
		m->stores[m->n_stores++] = (struct store){address.value, d};
	else if (address.origin != NOWHERE)
		m->r[CPS_REG_SP] = nowhere; /* too much to remember: it comes to nothing */
}

static struct datum address_of(struct mind *m, const struct cps_insn *i)
{
	if (i->is_local)
		return (struct datum){OTHER, NOWHERE,
				      cps_regs_thread_pointer() + (uint64_t)i->value};
	if (i->base == CPS_INSN_NO_REG)
		return nowhere;
	m->r[i->base] = settled(m, m->r[i->base]);
	return plus(m->r[i->base], i->value);
}

/* One register becomes less by a word. */
static struct datum less(struct mind *m, const struct cps_insn *i)
{
	struct datum d = settled(m, m->r[i->reg]), word = settled(m, word_at(m, address_of(m, i)));

	if (d.origin == NOWHERE || word.origin == NOWHERE)
		return nowhere;
	return (struct datum){OTHER, NOWHERE, d.value - word.value};
}

static struct datum masked(struct mind *m, const struct cps_insn *i)
{
	struct datum d = settled(m, m->r[i->reg]);

	if (d.origin == NOWHERE)
		return nowhere;
	return (struct datum){OTHER, NOWHERE, d.value & (uint64_t)i->value};
}

static void pop(struct mind *m, unsigned reg)
{
	struct datum d = word_at(m, m->r[CPS_REG_SP]);

	m->r[CPS_REG_SP] = plus(m->r[CPS_REG_SP], 8);
	if (reg < CPS_REGS)
		m->r[reg] = d;
}

static void push(struct mind *m, unsigned reg)
{
	struct datum d = reg < CPS_REGS ? m->r[reg] : nowhere;

	m->r[CPS_REG_SP] = plus(m->r[CPS_REG_SP], -8);
	store(m, m->r[CPS_REG_SP], d);
}

static void forget_changed(struct mind *m)
{
	for (unsigned reg = 0; reg < CPS_REGS; reg++)
		if (!cps_insn_is_kept(reg))
			m->r[reg] = nowhere;
}

static void transfer_one(struct mind *m, enum cps_insn_op op, unsigned reg, struct datum address)
{
	struct datum *d = reg < CPS_REGS ? &m->r[reg] : NULL;

	if (op == CPS_INSN_STORE)
		store(m, address, d ? *d : nowhere);
	else if (d)
		*d = word_at(m, address);
}

/* A load or store of a register, or of two side by side. */
static void transfer(struct mind *m, const struct cps_insn *i)
{
	bool has_base = i->base < CPS_REGS;
	struct datum address;

	if (has_base && i->before)
		m->r[i->base] = plus(settled(m, m->r[i->base]), i->before);
	address = address_of(m, i);
	transfer_one(m, i->op, i->reg, address);
	if (i->second != CPS_INSN_NO_REG)
		transfer_one(m, i->op, i->second, plus(address, 8));
	if (has_base && i->after)
		m->r[i->base] = plus(m->r[i->base], i->after);
}

static void execute(struct mind *m, const struct cps_insn *i)
{
	struct datum *reg = i->reg < CPS_REGS ? &m->r[i->reg] : NULL;

	if (i->op == CPS_INSN_LOAD || i->op == CPS_INSN_STORE)
		transfer(m, i);
	else if (i->op == CPS_INSN_PUSH)
		push(m, i->reg);
	else if (i->op == CPS_INSN_POP)
		pop(m, i->reg);
	else if (i->op == CPS_INSN_CALL)
		forget_changed(m);
	else if (i->op == CPS_INSN_LEAVE)
		m->r[CPS_REG_SP] = settled(m, m->r[CPS_REG_FP]), pop(m, CPS_REG_FP);
	else if (!reg)
		return;
	else if (i->op == CPS_INSN_CLOBBER)
		*reg = nowhere;
	else if (i->op == CPS_INSN_MOVE)
		*reg = i->base < CPS_REGS ? m->r[i->base] : nowhere;
	else if (i->op == CPS_INSN_ADD)
		*reg = plus(settled(m, *reg), i->value);
	else if (i->op == CPS_INSN_AND)
		*reg = masked(m, i);
	else if (i->op == CPS_INSN_LEA)
		*reg = address_of(m, i);
	else if (i->op == CPS_INSN_LESS)
		*reg = less(m, i);
	m->r[CPS_REG_SP] = settled(m, m->r[CPS_REG_SP]);
}

static void begin(struct mind *m, const struct cps_regs *regs, const struct cps_peek *peek,
		  bool is_exact)
{
	m->peek = peek;
	m->n_stores = 0;
	m->sp = regs->r[CPS_REG_SP];
	for (unsigned i = 0; i < CPS_REGS; i++)
		m->r[i] = regs->valid & CPS_REGS_BIT(i) ? (struct datum){OTHER, NOWHERE, regs->r[i]}
							: nowhere;
	if (!CPS_REGS_HAS_LINK || regs->valid & CPS_REGS_BIT(CPS_REG_SP))
		m->r[CPS_REG_SP].origin = OF_SP;
	if (regs->valid & CPS_REGS_BIT(CPS_REG_FP))
		m->r[CPS_REG_FP].origin = OF_FP;
	if (!is_exact)
		forget_changed(m);
}

/* Executes the code as long as there is one way to go. True: it returns. */
static bool execute_all(struct mind *m, uintptr_t pc)
{
	struct cps_insn_window code = {.n = 0};
	struct cps_insn i;

	for (unsigned n = 0; n < STEPS && cps_insn_at(&code, pc, &i); n++) {
		if (i.op == CPS_INSN_RETURN)
			return m->r[CPS_REG_SP].origin != NOWHERE;
		if (i.op == CPS_INSN_BRANCH || i.op == CPS_INSN_TRAP || cps_insn_is_fatal_call(&i))
			return false;
		execute(m, &i);
		pc = i.op == CPS_INSN_JUMP ? (uintptr_t)i.value : pc + i.length;
	}
	return false;
}

/*
 * A word for each address: its 48 bits, and what the code does.
 *
 *    63         16 15      10 9            3     2     1   0
 *    | pc          | fp slot  | CFA / 8    | from fp | kind |
 *
 * The CFA is so far above sp or fp. fp is so many words below the CFA; 0: it stays the same.
 *
 * Order: there is none. Each word says by itself which address it is of, and nothing else belongs to it.
 */
enum { KIND = 3, KIND_ROW = 1, KIND_UNKNOWN = 2, KIND_NEVER = 3, FROM_FP = 4 };

static _Atomic uint64_t known[1u << BITS];

static _Atomic uint64_t *place_of(uintptr_t pc)
{
	uint64_t key = pc ^ (uint64_t)cps_module_generation() << 48;

	return &known[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
}

static void keep(uintptr_t pc, unsigned what)
{
	if (pc >> 48 == 0)
		atomic_store_explicit(place_of(pc), (uint64_t)pc << 16 | what,
				      memory_order_relaxed);
}

static unsigned recall(uintptr_t pc)
{
	uint64_t word = atomic_load_explicit(place_of(pc), memory_order_relaxed);

	return word >> 16 == pc ? word & 0xffff : 0;
}

void cps_code_simulate_forget(uintptr_t pc)
{
	keep(pc, 0);
}

/* Where the return address of a row is: below the CFA, or where fp is saved, beside that. */
static uint64_t ra_at(uint64_t cfa, uint64_t slot)
{
	return CPS_REGS_HAS_LINK ? cfa - slot * 8 + CPS_REGS_RA_ABOVE_FP : cfa - CPS_REGS_RA_BELOW;
}

/* The row that the code has turned out to be; 0: it is no row. */
static unsigned row_of(const struct mind *m, const struct cps_regs *start)
{
	struct datum cfa = plus(m->r[CPS_REG_SP], CPS_REGS_RA_BELOW), fp = m->r[CPS_REG_FP];
	struct datum ra = m->r[CPS_REG_RA]; /* where calls leave it in a register */
	bool from_fp = cfa.origin == OF_FP;
	uint64_t offset, slot = 0;

	if (cfa.origin != OF_SP && cfa.origin != OF_FP)
		return 0;
	offset = cfa.value - start->r[from_fp ? CPS_REG_FP : CPS_REG_SP];
	if (fp.origin == LOADED && fp.of == cfa.origin)
		slot = (cfa.value - fp.value) / 8;
	else if (fp.origin != OF_FP || fp.value != start->r[CPS_REG_FP])
		return 0;
	if (offset % 8 || offset / 8 > 127 || slot > 63 || (fp.origin == LOADED && !slot))
		return 0;
	if (CPS_REGS_HAS_LINK && !(ra.origin == LOADED && ra.of == cfa.origin && slot &&
				   ra.value == ra_at(cfa.value, slot)))
		return 0;
	return (unsigned)(slot << 10 | offset / 8 << 3) | (from_fp ? FROM_FP : 0) | KIND_ROW;
}

static bool step_by_row(unsigned row, struct cps_regs *regs, const struct cps_peek *peek)
{
	uint64_t base = regs->r[row & FROM_FP ? CPS_REG_FP : CPS_REG_SP];
	uint64_t cfa = base + (row >> 3 & 127) * 8, slot = row >> 10 & 63, fp = regs->r[CPS_REG_FP];

	if (row & FROM_FP && !(regs->valid & CPS_REGS_BIT(CPS_REG_FP)))
		return false;
	if (!cps_peek(peek, ra_at(cfa, slot), &regs->r[CPS_REG_PC]) ||
	    (slot && !cps_peek(peek, cfa - slot * 8, &fp)))
		return false;
	regs->r[CPS_REG_PC] = cps_regs_strip(regs->r[CPS_REG_PC]);
	regs->r[CPS_REG_FP] = fp;
	regs->r[CPS_REG_SP] = cfa;
	regs->valid &= CPS_REGS_BIT(CPS_REG_FP);
	regs->valid |= CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_PC) |
		       (slot ? CPS_REGS_BIT(CPS_REG_FP) : 0);
	return true;
}

/* Where the code returns to, with this stack pointer. */
static bool return_to(const struct mind *m, uint64_t sp, uint64_t *pc)
{
	struct datum ra;

	if (!CPS_REGS_HAS_LINK)
		return load(m, sp, pc);
	ra = settled(m, m->r[CPS_REG_RA]);
	*pc = cps_regs_strip(ra.value);
	return ra.origin != NOWHERE;
}

/* Takes the caller's registers from what was executed. */
static bool leave_by(struct mind *m, struct cps_regs *regs)
{
	struct datum fp = settled(m, m->r[CPS_REG_FP]);

	regs->r[CPS_REG_SP] = m->r[CPS_REG_SP].value;
	if (!return_to(m, regs->r[CPS_REG_SP], &regs->r[CPS_REG_PC]))
		return false;
	regs->r[CPS_REG_SP] += CPS_REGS_RA_BELOW;
	regs->r[CPS_REG_FP] = fp.value;
	regs->valid = CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_PC);
	if (fp.origin != NOWHERE)
		regs->valid |= CPS_REGS_BIT(CPS_REG_FP);
	return true;
}

enum cps_code_simulate cps_code_simulate(struct cps_regs *regs, const struct cps_peek *peek,
					 bool is_exact)
{
	uintptr_t pc = regs->r[CPS_REG_PC];
	unsigned what = recall(pc);
	struct mind m;

	if ((what & KIND) == KIND_ROW)
		return step_by_row(what, regs, peek) ? CPS_AHEAD_RETURNS : CPS_AHEAD_UNKNOWN;
	if (what)
		return what == KIND_NEVER ? CPS_AHEAD_NEVER : CPS_AHEAD_UNKNOWN;
	begin(&m, regs, peek, is_exact);
	if (!cps_noreturn_is_mcall(pc) && execute_all(&m, pc)) {
		what = row_of(&m, regs);
		if (what) {
			keep(pc, what);
			return step_by_row(what, regs, peek) ? CPS_AHEAD_RETURNS
							     : CPS_AHEAD_UNKNOWN;
		}
		return leave_by(&m, regs) ? CPS_AHEAD_RETURNS : CPS_AHEAD_UNKNOWN;
	}
	if (is_exact) /* each sample has another pc, and no root is looked for */
		return CPS_AHEAD_UNKNOWN;
	what = cps_noreturn_is_mcall(pc) || cps_noreturn_returns(pc) ? KIND_NEVER : KIND_UNKNOWN;
	if (what == KIND_UNKNOWN || cps_module_find(pc) != CPS_MODULE_NONE)
		keep(pc, what);
	return what == KIND_NEVER ? CPS_AHEAD_NEVER : CPS_AHEAD_UNKNOWN;
}

/* ---- noreturn -------------------------------------------------------------------------------- */
/*
 * Follows all ways that code can go, to see whether one of them returns.
 *
 * In: an address. Out: whether the code there comes back. Calls are taken to return, except to code
 * that traps at once.
 */

#define RETURN_STEPS 48u /* instructions that are looked at */
#define PLACES	     16u /* where branches lead to */

struct ways {
	uintptr_t place[PLACES]; /* where a way begins, or begins anew after a jump */
	unsigned n;
	unsigned steps;
};

static bool lead_to(struct ways *w, uintptr_t pc)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->place[i] == pc)
			return true;
	if (w->n == PLACES)
		return false;
	w->place[w->n++] = pc;
	return true;
}

/* Follows one way. False: it returns, or leads where is not known. */
static bool goes_nowhere(struct ways *w, uintptr_t pc)
{
	struct cps_insn_window code = {.n = 0};
	struct cps_insn i;

	while (w->steps++ < RETURN_STEPS && cps_insn_at(&code, pc, &i)) {
		if (i.op == CPS_INSN_TRAP || cps_insn_is_fatal_call(&i))
			return true;
		if (i.op == CPS_INSN_RETURN)
			return false;
		if ((i.op == CPS_INSN_BRANCH || i.op == CPS_INSN_JUMP) &&
		    !lead_to(w, (uintptr_t)i.value))
			return false;
		if (i.op == CPS_INSN_JUMP)
			return true; /* that way is followed on its own */
		pc += i.length;
	}
	return false;
}

bool cps_noreturn_returns(uintptr_t pc)
{
	struct ways w = {.place = {pc}, .n = 1};

	for (unsigned i = 0; i < w.n; i++)
		if (!goes_nowhere(&w, w.place[i]))
			return false;
	return true;
}

/* A call by a register, pops, and a jump to a function that complains: "mcall function returned". */
bool cps_noreturn_is_mcall(uintptr_t ra)
{
	struct cps_insn_window w = {.n = 0};
	uint8_t before[CPS_REGS_MCALL_BYTES];
	struct cps_insn i;
	unsigned pops = 0;

	if (!cps_module_copy(before, ra - sizeof(before), sizeof(before)) ||
	    !cps_regs_is_mcall(before))
		return false;
	while (cps_insn_at(&w, ra, &i) && i.op == CPS_INSN_POP && pops < 3) {
		ra += i.length;
		pops++;
	}
	return pops && cps_insn_at(&w, ra, &i) && i.op == CPS_INSN_JUMP;
}
