/* SPDX-License-Identifier: MIT */
/*
 * cfi.c - executes call frame instructions, and the expressions in them.
 */
#include <string.h>

#include "unwind/cfi.h"
#include "unwind/fde.h"
#include "base/poison.h"

/* ---- expression ------------------------------------------------------------------------------ */
/*
 * Evaluates the DWARF expressions that call frame information uses.
 *
 * Source: DWARF 4, 2.5.1. Only the operations that can occur in call frame information (6.4.2) are
 * implemented.
 *
 * In: bytes, registers, guarded memory. Out: one value. Linkers describe the procedure linkage
 * table by expressions, compilers use them for realigned stacks, and the C library for its signal
 * trampoline.
 */

#define STACK 16
#define STEPS 256

struct evaluation {
	struct cps_fde_cursor *b;
	const struct cps_regs *regs;
	struct cps_peek *peek;
	uint64_t stack[STACK];
	unsigned depth;
	enum cps_step failed;
};

static void push(struct evaluation *e, uint64_t v)
{
	if (e->depth == STACK)
		e->failed = CPS_STEP_NO_RECIPE;
	else
		e->stack[e->depth++] = v;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->depth)
		return e->stack[--e->depth];
	e->failed = CPS_STEP_NO_RECIPE;
	return 0;
}

static void push_register(struct evaluation *e, uint64_t reg)
{
	uint64_t offset = (uint64_t)cps_fde_read_sleb(e->b);

	if (reg >= CPS_REGS || !(e->regs->valid & CPS_REGS_BIT(reg))) {
		e->failed = CPS_STEP_UNKNOWN_REGISTER;
		return;
	}
	push(e, e->regs->r[reg] + offset);
}

static void binary(struct evaluation *e, uint8_t op)
{
	uint64_t b = pop(e), a = pop(e);
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case 0x1a:
		push(e, a & b);
		break;
	case 0x1c:
		push(e, a - b);
		break;
	case 0x1e:
		push(e, a * b);
		break;
	case 0x21:
		push(e, a | b);
		break;
	case 0x22:
		push(e, a + b);
		break;
	case 0x24:
		push(e, b < 64 ? a << b : 0);
		break;
	case 0x25:
		push(e, b < 64 ? a >> b : 0);
		break;
	case 0x26:
		push(e, (uint64_t)(sa >> (b < 63 ? b : 63)));
		break;
	case 0x27:
		push(e, a ^ b);
		break;
	case 0x29:
		push(e, sa == sb);
		break;
	case 0x2a:
		push(e, sa >= sb);
		break;
	case 0x2b:
		push(e, sa > sb);
		break;
	case 0x2c:
		push(e, sa <= sb);
		break;
	case 0x2d:
		push(e, sa < sb);
		break;
	case 0x2e:
		push(e, sa != sb);
		break;
	default:
		e->failed = CPS_STEP_NO_RECIPE;
	}
}

static void constant(struct evaluation *e, uint8_t op)
{
	static const uint8_t width[] = {1, 1, 2, 2, 4, 4, 8, 8};
	unsigned n = width[op - 0x08];
	uint64_t v = cps_fde_read_fixed(e->b, n);

	if (op & 1 && n < 8) /* the odd ones are signed */
		v = (uint64_t)((int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n));
	push(e, v);
}

static void stack_operation(struct evaluation *e, uint8_t op)
{
	uint64_t a, b = 0;
	unsigned n;

	switch (op) {
	case 0x06: /* deref */
		a = pop(e);
		if (!cps_peek(e->peek, a, &b))
			e->failed = CPS_STEP_BAD_MEMORY;
		push(e, b);
		break;
	case 0x13:
		pop(e);
		break;
	case 0x16: /* swap */
		b = pop(e);
		a = pop(e);
		push(e, b);
		push(e, a);
		break;
	default: /* dup, over, pick */
		n = op == 0x12 ? 0 : op == 0x14 ? 1 : (unsigned)cps_fde_read_fixed(e->b, 1);
		if (n >= e->depth)
			e->failed = CPS_STEP_NO_RECIPE;
		else
			push(e, e->stack[e->depth - 1 - n]);
	}
}

static void jump(struct evaluation *e, bool taken)
{
	int16_t distance = (int16_t)cps_fde_read_fixed(e->b, 2);

	if (!taken)
		return;
	if (distance < 0 || distance > e->b->end - e->b->p)
		e->failed = CPS_STEP_NO_RECIPE; /* call frame information needs no loops */
	else
		e->b->p += distance;
}

static void operate(struct evaluation *e, uint8_t op)
{
	if (op >= 0x30 && op <= 0x4f)
		push(e, op - 0x30u);
	else if (op >= 0x70 && op <= 0x8f)
		push_register(e, op - 0x70u);
	else if (op >= 0x08 && op <= 0x0f)
		constant(e, op);
	else if (op == 0x03)
		push(e, cps_fde_read_fixed(e->b, 8));
	else if (op == 0x10)
		push(e, cps_fde_read_uleb(e->b));
	else if (op == 0x11)
		push(e, (uint64_t)cps_fde_read_sleb(e->b));
	else if (op == 0x23) /* plus_uconst */
		push(e, pop(e) + cps_fde_read_uleb(e->b));
	else if (op == 0x1f || op == 0x20) /* neg, not */
		push(e, op == 0x1f ? -pop(e) : ~pop(e));
	else if (op == 0x92) /* bregx */
		push_register(e, cps_fde_read_uleb(e->b));
	else if (op == 0x28 || op == 0x2f) /* bra, skip */
		jump(e, op == 0x2f || pop(e) != 0);
	else if (op == 0x06 || (op >= 0x12 && op <= 0x16))
		stack_operation(e, op);
	else if (op != 0x96) /* nop */
		binary(e, op);
}

/* Evaluate the expression. *value is what is on top of the stack at the end. `first`, if not NULL, is pushed
 * before the start. */
static enum cps_step cps_expression_evaluate(struct cps_fde_cursor *b, const struct cps_regs *regs,
					     struct cps_peek *peek, const uint64_t *first,
					     uint64_t *value)
{
	struct evaluation e = {.b = b, .regs = regs, .peek = peek, .failed = CPS_STEP_OK};

	if (first)
		push(&e, *first);
	for (int i = 0; b->p < b->end && !b->bad && e.failed == CPS_STEP_OK; i++) {
		if (i == STEPS)
			return CPS_STEP_NO_RECIPE;
		operate(&e, (uint8_t)cps_fde_read_fixed(b, 1));
	}
	if (b->bad)
		return CPS_STEP_NO_RECIPE;
	*value = pop(&e);
	return e.failed;
}

/* ---- cfi ------------------------------------------------------------------------------------- */
/*
 * Executes call frame instructions.
 *
 * In: an FDE, an address, registers. Out: a packed row, or the caller's registers. All registers
 * are followed, although only those that survive a call can matter to an outer frame.
 */

enum rule { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, AT_EXPRESSION, IS_EXPRESSION, IN_REGISTER };

#define CFA_IS_EXPRESSION 0xff
#define CFA_IS_UNKNOWN	  0xfe
#define REMEMBERED	  6

/* The rules by which the caller's registers are found, at one address. The value of an expression's
 * rule is an offset from `base` of struct machine. */
struct state {
	uint8_t rule[CPS_REGS];
	uint8_t cfa_register; /* or one of the above */
	int32_t value[CPS_REGS];
	int32_t cfa_value;
};

struct machine {
	struct state now, initial, stack[REMEMBERED];
	unsigned depth;
	uintptr_t location, from, until; /* `now` holds from `from` on, before `until` */
	const struct cps_fde *fde;
	const uint8_t *base; /* the module's start; expressions are offsets from it */
	bool bad;
};

static void set(struct machine *m, uint64_t reg, enum rule rule, int64_t value)
{
	if (reg >= CPS_REGS)
		return;
	if (value != (int32_t)value)
		m->bad = true;
	m->now.rule[reg] = (uint8_t)rule;
	m->now.value[reg] = (int32_t)value;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t value)
{
	if (reg >= CPS_REGS || value != (int32_t)value)
		m->bad = true;
	m->now.cfa_register = (uint8_t)reg;
	m->now.cfa_value = (int32_t)value;
}

/* An expression is kept as the distance of its length byte from the module's start. */
static int64_t take_expression(struct machine *m, struct cps_fde_cursor *b)
{
	int64_t where = b->p - m->base;
	uint64_t length = cps_fde_read_uleb(b);

	if (b->bad || length > (size_t)(b->end - b->p)) {
		b->bad = true;
		return 0;
	}
	b->p += length;
	return where;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < CPS_REGS) {
		m->now.rule[reg] = m->initial.rule[reg];
		m->now.value[reg] = m->initial.value[reg];
	}
}

static void remember(struct machine *m, bool push)
{
	if (push ? m->depth == REMEMBERED : m->depth == 0)
		m->bad = true;
	else if (push)
		m->stack[m->depth++] = m->now;
	else
		m->now = m->stack[--m->depth];
}

/* The instructions of the 00 group, DWARF 4 figure 40. */
static void extended(struct machine *m, uint8_t op, struct cps_fde_cursor *b)
{
	int64_t data = m->fde->data_align;
	uint64_t reg;

	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc, handled by the caller */
		break;
	case 0x02:
		m->location += cps_fde_read_fixed(b, 1) * m->fde->code_align;
		break;
	case 0x03:
		m->location += cps_fde_read_fixed(b, 2) * m->fde->code_align;
		break;
	case 0x04:
		m->location += cps_fde_read_fixed(b, 4) * m->fde->code_align;
		break;
	case 0x05: /* offset_extended */
		reg = cps_fde_read_uleb(b);
		set(m, reg, AT_OFFSET, (int64_t)cps_fde_read_uleb(b) * data);
		break;
	case 0x06:
		restore(m, cps_fde_read_uleb(b));
		break;
	case 0x07:
		set(m, cps_fde_read_uleb(b), UNDEFINED, 0);
		break;
	case 0x08:
		set(m, cps_fde_read_uleb(b), SAME, 0);
		break;
	case 0x09: /* register */
		reg = cps_fde_read_uleb(b);
		set(m, reg, IN_REGISTER, (int64_t)cps_fde_read_uleb(b));
		break;
	case 0x0a:
	case 0x0b:
		remember(m, op == 0x0a);
		break;
	case 0x0c: /* def_cfa */
		reg = cps_fde_read_uleb(b);
		set_cfa(m, reg, (int64_t)cps_fde_read_uleb(b));
		break;
	case 0x0d:
		set_cfa(m, cps_fde_read_uleb(b), m->now.cfa_value);
		break;
	case 0x0e:
		set_cfa(m, m->now.cfa_register, (int64_t)cps_fde_read_uleb(b));
		break;
	case 0x0f: /* def_cfa_expression */
		set_cfa(m, 0, take_expression(m, b));
		m->now.cfa_register = CFA_IS_EXPRESSION;
		break;
	case 0x10:
	case 0x16: /* expression, val_expression */
		reg = cps_fde_read_uleb(b);
		set(m, reg, op == 0x10 ? AT_EXPRESSION : IS_EXPRESSION, take_expression(m, b));
		break;
	case 0x11: /* offset_extended_sf */
		reg = cps_fde_read_uleb(b);
		set(m, reg, AT_OFFSET, cps_fde_read_sleb(b) * data);
		break;
	case 0x12: /* def_cfa_sf */
		reg = cps_fde_read_uleb(b);
		set_cfa(m, reg, cps_fde_read_sleb(b) * data);
		break;
	case 0x13:
		set_cfa(m, m->now.cfa_register, cps_fde_read_sleb(b) * data);
		break;
	case 0x14:
	case 0x15: /* val_offset, val_offset_sf */
		reg = cps_fde_read_uleb(b);
		set(m, reg, IS_OFFSET,
		    (op == 0x14 ? (int64_t)cps_fde_read_uleb(b) : cps_fde_read_sleb(b)) * data);
		break;
	case 0x2c: /* AARCH64_negate_ra_state_with_pc */
	case 0x2d: /* AARCH64_negate_ra_state: return addresses lose their codes wherever they are found */
		m->bad |= !CPS_REGS_HAS_LINK;
		break;
	case 0x2e: /* GNU_args_size */
		cps_fde_read_uleb(b);
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		reg = cps_fde_read_uleb(b);
		set(m, reg, AT_OFFSET, -(int64_t)cps_fde_read_uleb(b) * data);
		break;
	default:
		m->bad = true;
	}
}

/* Executes the instructions up to the ones that describe pc. */
static bool run(struct machine *m, struct cps_fde_cursor b, uintptr_t pc)
{
	while (b.p < b.end && !m->bad && !b.bad) {
		uint8_t op = b.window ? (uint8_t)cps_fde_read_fixed(&b, 1) : *b.p++;
		uint8_t low = op & 0x3f;

		switch (op >> 6) {
		case 1: /* advance_loc */
			m->location += low * m->fde->code_align;
			break;
		case 2: /* offset */
			set(m, low, AT_OFFSET, (int64_t)cps_fde_read_uleb(&b) * m->fde->data_align);
			break;
		case 3:
			restore(m, low);
			break;
		default:
			extended(m, op, &b);
			if (op == 0x01)
				m->location = cps_fde_read_fixed(&b, 8);
		}
		if (m->location > pc) {
			m->until = m->location;
			break;
		}
		m->from = m->location;
	}
	return !m->bad && !b.bad;
}

/* Code that a thread is running is not unloaded, nor is what was there at the start. What the target has
 * registered it may free at any time; and what lies in another process is copied. */
static struct cps_fde_window *window_for(const struct cps_module *m, bool is_guess,
					 struct cps_fde_window *window)
{
	return m->fde || m->is_elsewhere || (is_guess && !m->is_lasting) ? window : NULL;
}

static bool describe(const struct cps_module *module, uintptr_t pc, struct cps_fde_window *window,
		     struct cps_fde *fde, struct state *state, struct cps_row *row)
{
	struct machine m;

	if (!cps_fde_find(module, pc, window, fde))
		return false;
	m.depth = 0;
	m.bad = false;
	m.fde = fde;
	m.base = (const uint8_t *)module->start;
	m.location = 0;
	memset(&m.now, 0, sizeof(m.now));
	m.now.cfa_register = CFA_IS_UNKNOWN;
	if (!run(&m, fde->initial, UINTPTR_MAX))
		return false;
	m.initial = m.now;
	m.location = m.from = fde->start;
	m.until = fde->end;
	if (!run(&m, fde->program, pc))
		return false;
	/* LuaJIT registers such a description, since it only has exceptions in mind. */
	if (m.now.cfa_register == CFA_IS_UNKNOWN && m.now.rule[CPS_REG_RA] != UNDEFINED)
		return false;
	*state = m.now;
	if (row && m.from <= pc && pc < m.until) { /* otherwise the program contradicts itself */
		row->from = m.from;
		row->until = m.until < fde->end ? m.until : fde->end;
	}
	return true;
}

static bool is_restorer(uintptr_t address)
{
	uint8_t code[CPS_REGS_RESTORER_BYTES];

	return cps_module_copy(code, address, sizeof(code)) && cps_regs_is_restorer(code);
}

/*
 * Whether this is the frame that the kernel makes for a signal handler. The augmentation 'S' does not
 * prove that: it only says that the pc of the caller is exact, and the functions that switch stacks in
 * OCaml and Wine have it, too. The kernel's frame is recognised by the code that the handler returns
 * to. Its FDE begins a little earlier, since unwinders look up the address before a return address.
 */
static bool is_of_kernel(const struct cps_fde *fde)
{
	return is_restorer(fde->start) || is_restorer(fde->start + CPS_REGS_RESTORER_EARLY);
}

/* Whether this is such code without unwind information, as ours is and Go's. `pc` is an instruction
 * of it, or the address before. */
static bool is_bare_restorer(uintptr_t pc)
{
	return is_restorer(pc + 1) || is_restorer(pc) || is_restorer(pc - CPS_REGS_RESTORER_CALL);
}

/* Where the rules say that the return address is. False: where no row can. */
static bool find_ra(const struct state *s, struct cps_row *row)
{
	enum rule ra = (enum rule)s->rule[CPS_REG_RA], fp = (enum rule)s->rule[CPS_REG_FP];
	int32_t ra_at = s->value[CPS_REG_RA], fp_at = s->value[CPS_REG_FP];

	if (fp != SAME && (fp != AT_OFFSET || fp_at == 0))
		return false;
	row->fp_offset = fp == AT_OFFSET ? fp_at : 0;
	if (!CPS_REGS_HAS_LINK) {
		row->ra = CPS_RA_BELOW_CFA;
		return ra == AT_OFFSET && ra_at == -CPS_REGS_RA_BELOW;
	}
	row->ra = fp == AT_OFFSET ? CPS_RA_BESIDE_FP
		  : ra == SAME	  ? CPS_RA_IN_REGISTER
				  : CPS_RA_ALONE;
	if (row->ra == CPS_RA_ALONE)
		row->fp_offset = ra_at;
	return row->ra == CPS_RA_IN_REGISTER ||
	       (ra == AT_OFFSET && ra_at &&
		(row->ra == CPS_RA_ALONE || ra_at == fp_at + CPS_REGS_RA_ABOVE_FP));
}

bool cps_cfi_is_returned(const struct cps_regs *regs, uintptr_t pc)
{
	return cps_regs_may_be_returned(regs) && is_bare_restorer(pc);
}

void cps_cfi_row(const struct cps_module *m, uintptr_t pc, bool is_guess, struct cps_row *row)
{
	struct cps_fde_window window;
	struct cps_fde fde;
	struct state s;

	*row = (struct cps_row){.kind = CPS_ROW_NONE, .from = pc, .until = pc + 1};
	if (!describe(m, pc, window_for(m, is_guess, &window), &fde, &s, row)) {
		if (is_bare_restorer(pc))
			row->kind = CPS_ROW_SIGNAL;
		return;
	}
	if (fde.ra_register != CPS_REG_RA)
		return;
	if (fde.is_signal_frame && is_of_kernel(&fde)) {
		row->kind = CPS_ROW_SIGNAL;
		return;
	}
	if (s.rule[CPS_REG_RA] == UNDEFINED) {
		row->kind = CPS_ROW_END;
		return;
	}
	row->kind = CPS_ROW_SLOW;
	if (fde.is_signal_frame)
		return;
	if (s.cfa_register != CPS_REG_SP && s.cfa_register != CPS_REG_FP)
		return;
	if (s.rule[CPS_REG_SP] != SAME || !find_ra(&s, row))
		return;
	row->kind = CPS_ROW_FAST;
	row->from_fp = s.cfa_register == CPS_REG_FP;
	row->cfa_offset = s.cfa_value;
}

static enum cps_step evaluate(const struct cps_module *m, int32_t where,
			      const struct cps_regs *regs, struct cps_peek *peek,
			      const uint64_t *first, uint64_t *value)
{
	struct cps_fde_window window = {.n = 0};
	struct cps_fde_cursor b = {(const uint8_t *)m->start + where,
				   (const uint8_t *)m->start + m->bytes, false,
				   window_for(m, peek->is_guess, &window)};
	uint64_t length = cps_fde_read_uleb(&b);

	if (b.bad || length > (size_t)(b.end - b.p))
		return CPS_STEP_NO_RECIPE;
	b.end = b.p + length;
	return cps_expression_evaluate(&b, regs, peek, first, value);
}

static enum cps_step cfa_of(const struct cps_module *m, const struct state *s,
			    const struct cps_regs *regs, struct cps_peek *peek, uint64_t *cfa)
{
	if (s->cfa_register == CFA_IS_EXPRESSION)
		return evaluate(m, s->cfa_value, regs, peek, NULL, cfa);
	if (s->cfa_register >= CPS_REGS || !(regs->valid & CPS_REGS_BIT(s->cfa_register)))
		return CPS_STEP_UNKNOWN_REGISTER;
	*cfa = regs->r[s->cfa_register] + (uint64_t)(int64_t)s->cfa_value;
	return CPS_STEP_OK;
}

/* Finds one register of the caller. */
static enum cps_step recover(const struct cps_module *m, const struct state *s, int reg,
			     uint64_t cfa, const struct cps_regs *regs, struct cps_peek *peek,
			     struct cps_regs *caller)
{
	enum cps_step step = CPS_STEP_OK;
	uint64_t v = regs->r[reg];
	uint32_t from = (uint32_t)s->value[reg];

	caller->valid |= CPS_REGS_BIT(reg);
	switch ((enum rule)s->rule[reg]) {
	case SAME:
		caller->valid &= regs->valid | ~CPS_REGS_BIT(reg);
		break;
	case UNDEFINED:
		caller->valid &= ~CPS_REGS_BIT(reg);
		break;
	case IN_REGISTER:
		if (from >= CPS_REGS || !(regs->valid & CPS_REGS_BIT(from)))
			caller->valid &= ~CPS_REGS_BIT(reg);
		else
			v = regs->r[from];
		break;
	case IS_OFFSET:
		v = cfa + (uint64_t)(int64_t)s->value[reg];
		break;
	case AT_OFFSET:
		if (!cps_peek(peek, cfa + (uint64_t)(int64_t)s->value[reg], &v))
			step = CPS_STEP_BAD_MEMORY;
		break;
	case AT_EXPRESSION:
	case IS_EXPRESSION:
		step = evaluate(m, s->value[reg], regs, peek, &cfa, &v);
		if (step == CPS_STEP_OK && s->rule[reg] == AT_EXPRESSION && !cps_peek(peek, v, &v))
			step = CPS_STEP_BAD_MEMORY;
		break;
	}
	caller->r[reg] = v;
	return step;
}

/* The caller goes on at what its register of return addresses would be, which then means nothing to it any more. No rule
 * speaks of pc. */
static void take_link(struct cps_regs *caller, bool is_exact)
{
	caller->valid &= ~CPS_REGS_BIT(CPS_REG_PC);
	if (!(caller->valid & CPS_REGS_BIT(CPS_REG_RA)))
		return;
	caller->r[CPS_REG_PC] = cps_regs_strip(caller->r[CPS_REG_RA]);
	caller->valid |= CPS_REGS_BIT(CPS_REG_PC);
	if (!is_exact)
		caller->valid &= ~CPS_REGS_BIT(CPS_REG_RA);
}

enum cps_step cps_cfi_step(const struct cps_module *m, uintptr_t pc, struct cps_regs *regs,
			   struct cps_peek *peek, bool *is_exact)
{
	struct cps_regs caller = {.valid = 0};
	struct cps_fde_window window;
	enum cps_step step;
	struct cps_fde fde;
	struct state s;
	uint64_t cfa;

	if (!describe(m, pc, window_for(m, peek->is_guess, &window), &fde, &s, NULL))
		return CPS_STEP_NO_RECIPE;
	step = cfa_of(m, &s, regs, peek, &cfa);
	for (int reg = 0; reg < CPS_REGS && step == CPS_STEP_OK; reg++)
		step = recover(m, &s, reg, cfa, regs, peek, &caller);
	if (step != CPS_STEP_OK)
		return step;
	if (s.rule[CPS_REG_SP] == SAME)
		caller.r[CPS_REG_SP] = cfa;
	caller.valid |= CPS_REGS_BIT(CPS_REG_SP);
	if (CPS_REGS_HAS_LINK)
		take_link(&caller, fde.is_signal_frame);
	if (!(caller.valid & CPS_REGS_BIT(CPS_REG_PC)))
		return CPS_STEP_UNKNOWN_REGISTER;
	*regs = caller;
	*is_exact = fde.is_signal_frame;
	return CPS_STEP_OK;
}
