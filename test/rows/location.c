/* SPDX-License-Identifier: MIT */
/* location.c - evaluates what libdw says of the caller's registers. */
#include "location.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH 64
#define STEPS 10000

struct stack {
	const struct location_frame *frame;
	uint64_t values[DEPTH];
	size_t n;
	enum location state;
};

static void push(struct stack *s, uint64_t value)
{
	if (s->n == DEPTH)
		s->state = LOCATION_BAD_OPERATION;
	else
		s->values[s->n++] = value;
}

/* The element that is `below` elements below the top. */
static uint64_t peek(struct stack *s, uint64_t below)
{
	if (below < s->n)
		return s->values[s->n - 1 - below];
	s->state = LOCATION_BAD_OPERATION;
	return 0;
}

static uint64_t pop(struct stack *s)
{
	uint64_t value = peek(s, 0);

	s->n -= s->n > 0;
	return value;
}

static void push_register(struct stack *s, uint64_t number, uint64_t offset)
{
	if (number < LOCATION_REGISTERS)
		push(s, s->frame->registers[number] + offset);
	else
		s->state = LOCATION_BAD_OPERATION;
}

static enum location read_memory(const struct location_frame *f, uint64_t address, uint64_t *value)
{
	uint64_t offset = address - (uintptr_t)f->memory;

	if (address % 8 || offset >= f->memory_bytes)
		return LOCATION_BAD_MEMORY;
	*value = f->memory[offset / 8];
	return LOCATION_VALUE;
}

static uint64_t shifted(Dwarf_Word a, Dwarf_Word by, uint8_t op)
{
	bool is_negative = op == DW_OP_shra && a >> 63;

	if (by > 63)
		return is_negative ? UINT64_MAX : 0;
	if (op == DW_OP_shl)
		return a << by;
	return a >> by | (is_negative && by ? UINT64_MAX << (64 - by) : 0);
}

/* Operations on the two topmost elements. False: it is none of them. */
static bool combine(struct stack *s, uint8_t op)
{
	uint64_t b = peek(s, 0), a = peek(s, 1), result;
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case DW_OP_plus:
		result = a + b;
		break;
	case DW_OP_minus:
		result = a - b;
		break;
	case DW_OP_mul:
		result = a * b;
		break;
	case DW_OP_and:
		result = a & b;
		break;
	case DW_OP_or:
		result = a | b;
		break;
	case DW_OP_xor:
		result = a ^ b;
		break;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		result = shifted(a, b, op);
		break;
	case DW_OP_eq:
		result = x == y;
		break;
	case DW_OP_ne:
		result = x != y;
		break;
	case DW_OP_lt:
		result = x < y;
		break;
	case DW_OP_le:
		result = x <= y;
		break;
	case DW_OP_gt:
		result = x > y;
		break;
	case DW_OP_ge:
		result = x >= y;
		break;
	default:
		return false;
	}
	pop(s);
	pop(s);
	push(s, result);
	return true;
}

/* Operations that push a value that does not come from the stack. False: it is none of them. */
static bool produce(struct stack *s, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push(s, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push_register(s, op->atom - DW_OP_breg0, op->number);
	else if (op->atom == DW_OP_bregx)
		push_register(s, op->number, op->number2);
	else if (op->atom == DW_OP_call_frame_cfa)
		push(s, s->frame->cfa);
	else if (op->atom == DW_OP_addr || (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts))
		push(s, op->number); /* libdw has extended the signs */
	else
		return false;
	return true;
}

static void change(struct stack *s, const Dwarf_Op *op)
{
	uint64_t a, b, value = 0;

	switch (op->atom) {
	case DW_OP_nop:
		break;
	case DW_OP_plus_uconst:
		push(s, pop(s) + op->number);
		break;
	case DW_OP_neg:
		push(s, -pop(s));
		break;
	case DW_OP_not:
		push(s, ~pop(s));
		break;
	case DW_OP_dup:
		push(s, peek(s, 0));
		break;
	case DW_OP_over:
		push(s, peek(s, 1));
		break;
	case DW_OP_pick:
		push(s, peek(s, op->number));
		break;
	case DW_OP_drop:
		pop(s);
		break;
	case DW_OP_swap:
		a = pop(s);
		b = pop(s);
		push(s, a);
		push(s, b);
		break;
	case DW_OP_deref:
		a = pop(s);
		if (s->state == LOCATION_VALUE)
			s->state = read_memory(s->frame, a, &value);
		push(s, value);
		break;
	default:
		if (!combine(s, op->atom))
			s->state = LOCATION_BAD_OPERATION;
	}
}

/* Where to go on after a jump: at the operation that begins at the byte that it leads to. */
static size_t target(struct stack *s, const Dwarf_Op *ops, size_t n, size_t jump)
{
	Dwarf_Word byte = ops[jump].offset + 3 + (Dwarf_Word)(int64_t)(int16_t)ops[jump].number;
	size_t i = 0;

	while (i < n && ops[i].offset != byte)
		i++;
	if (i == n && byte <= ops[n - 1].offset)
		s->state = LOCATION_BAD_OPERATION;
	return i;
}

enum location location_evaluate(const struct location_frame *f, const Dwarf_Op *ops, size_t n,
				uint64_t *value)
{
	struct stack s = {.frame = f};
	size_t next = 0, steps = 0;

	while (next < n && s.state == LOCATION_VALUE) {
		const Dwarf_Op *op = &ops[next++];

		if (++steps > STEPS)
			return LOCATION_BAD_OPERATION;
		if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&s)))
			next = target(&s, ops, n, next - 1);
		else if (op->atom != DW_OP_bra && !produce(&s, op))
			change(&s, op);
	}
	*value = pop(&s);
	return s.state;
}

enum location location_register(const struct location_frame *f, const Dwarf_Op *ops, size_t n,
				uint64_t *value)
{
	bool is_value = ops[n - 1].atom == DW_OP_stack_value;
	enum location state;

	if (n == 1 && ops->atom == DW_OP_regx && ops->number < LOCATION_REGISTERS) {
		*value = f->registers[ops->number];
		return LOCATION_VALUE;
	}
	state = location_evaluate(f, ops, n - is_value, value);
	return state == LOCATION_VALUE && !is_value ? read_memory(f, *value, value) : state;
}
