/* SPDX-License-Identifier: MIT */
/*
 * expression.c - a small stack machine for the expressions in call frame information.
 *
 * In: bytes, registers, guarded memory. Out: one value. Linkers describe the procedure linkage
 * table by expressions, compilers use them for realigned stacks, and the C library for its signal
 * trampoline.
 */
#include "unwind/expression.h"
#include "base/poison.h"

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

	if (reg >= CPS_REGS || !(e->regs->valid & 1u << reg)) {
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

enum cps_step cps_expression_evaluate(struct cps_fde_cursor *b, const struct cps_regs *regs,
				      struct cps_peek *peek, const uint64_t *first, uint64_t *value)
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
