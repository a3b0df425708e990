/* SPDX-License-Identifier: MIT */
/*
 * insn.c - decodes the instructions of x86-64 that lie between a call and the function's return.
 *
 * In: bytes of code. Out: struct cps_insn. What compilers and authors of assembly put there is few:
 * moves, sums, pushes and pops. Everything else is not understood, which is always a safe answer.
 *
 * Source of the layout: AMD64 Architecture Programmer's Manual, volume 3, 1.2 and appendix A.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/poison.h"

/* A cursor over one instruction. */
struct reader {
	const uint8_t *p, *end;
	bool is_bad;
	uint8_t rex;
	bool is_short; /* prefix 66: operands of 16 bits */
	bool is_local; /* prefix 64: the segment fs */
	/* ModRM */
	uint8_t mod, reg, rm;
	uint8_t base; /* of the word in memory: by DWARF number, or NO_REG if it is not followed */
	bool is_absolute;
	int32_t disp;
};

static const uint8_t dwarf_of[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

bool cps_insn_is_kept(unsigned reg)
{
	return reg == 3 || reg == CPS_REG_FP || reg == CPS_REG_SP || (reg >= 12 && reg <= 15);
}

static uint64_t take(struct reader *r, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->p) < n) {
		r->is_bad = true;
		return 0;
	}
	memcpy(&v, r->p, n);
	r->p += n;
	return v;
}

static int64_t take_signed(struct reader *r, unsigned n)
{
	uint64_t v = take(r, n);

	return n == 1 ? (int8_t)v : n == 4 ? (int32_t)v : (int64_t)v;
}

/* Reads the byte that names the operands, and the address of the one in memory. */
static void take_operands(struct reader *r)
{
	uint8_t b = (uint8_t)take(r, 1), low, sib;
	bool has_index = false, is_far;

	r->mod = b >> 6;
	r->reg = dwarf_of[(b >> 3 & 7) | (r->rex & 4) << 1];
	low = b & 7;
	r->rm = dwarf_of[low | (r->rex & 1) << 3];
	r->base = r->rm;
	if (r->mod == 3)
		return;
	is_far = r->mod == 0 && low == 5; /* relative to pc */
	if (low == 4) {
		sib = (uint8_t)take(r, 1);
		low = sib & 7;
		has_index = ((sib >> 3 & 7) | (r->rex & 2) << 2) != 4;
		r->base = dwarf_of[low | (r->rex & 1) << 3];
		r->is_absolute = r->mod == 0 && low == 5 && !has_index;
		is_far = is_far || (r->mod == 0 && low == 5);
	}
	if (has_index || is_far)
		r->base = CPS_INSN_NO_REG;
	if (is_far || r->mod == 2)
		r->disp = (int32_t)take(r, 4);
	else if (r->mod == 1)
		r->disp = (int8_t)take(r, 1);
}

static bool is_wide(const struct reader *r)
{
	return r->rex & 8;
}

static void set(struct cps_insn *i, enum cps_insn_op op, unsigned reg, unsigned base, int64_t value)
{
	i->op = op;
	i->reg = (uint8_t)reg;
	i->base = (uint8_t)base;
	i->value = value;
}

/* An instruction that changes its operand r/m in a way that is not followed. */
static void clobber_rm(const struct reader *r, struct cps_insn *i)
{
	if (r->mod == 3)
		set(i, CPS_INSN_CLOBBER, r->rm, CPS_INSN_NO_REG, 0);
	else
		i->op = CPS_INSN_NOTHING;
}

/* op reg, word in memory */
static void with_memory(const struct reader *r, struct cps_insn *i, enum cps_insn_op op)
{
	set(i, op, r->reg, r->base, r->disp);
	i->is_local = r->is_local && r->is_absolute;
	if ((!is_wide(r) || (r->is_local && !r->is_absolute)) && op != CPS_INSN_STORE)
		i->op = CPS_INSN_CLOBBER;
	else if (op == CPS_INSN_STORE && (!is_wide(r) || r->is_local))
		i->op = CPS_INSN_NOTHING;
}

/* 88 to 8b: mov */
static void read_move(struct reader *r, uint8_t code, struct cps_insn *i)
{
	bool is_byte = !(code & 1), is_load = code & 2;

	take_operands(r);
	if (is_byte && r->mod != 3 && !is_load)
		i->op = CPS_INSN_NOTHING;
	else if (is_byte || (r->mod == 3 && !is_wide(r)))
		set(i, CPS_INSN_CLOBBER, is_load ? r->reg : r->rm, CPS_INSN_NO_REG, 0);
	else if (r->mod == 3)
		set(i, CPS_INSN_MOVE, is_load ? r->reg : r->rm, is_load ? r->rm : r->reg, 0);
	else
		with_memory(r, i, is_load ? CPS_INSN_LOAD : CPS_INSN_STORE);
}

/* 00 to 3b without those for al and eax: add, or, adc, sbb, and, sub, xor, cmp. Bytes of registers
 * with high halves are taken for the registers, which is as good. */
static void read_sum(struct reader *r, uint8_t code, struct cps_insn *i)
{
	unsigned what = code >> 3 & 7;
	bool is_to_reg = code & 2;

	take_operands(r);
	if (what == 7) /* cmp */
		i->op = CPS_INSN_NOTHING;
	else if (what == 5 && code == 0x2b && r->mod != 3)
		with_memory(r, i, CPS_INSN_LESS);
	else if (is_to_reg)
		set(i, CPS_INSN_CLOBBER, r->reg, CPS_INSN_NO_REG, 0);
	else
		clobber_rm(r, i);
}

/* 80, 81, 83: the same with a number */
static void read_sum_with_number(struct reader *r, uint8_t code, struct cps_insn *i)
{
	unsigned what;
	int64_t value;

	what = r->p < r->end ? *r->p >> 3 & 7 : 0;
	take_operands(r);
	value = take_signed(r, code == 0x81 ? 4 : 1);
	clobber_rm(r, i);
	if (what == 7)
		i->op = CPS_INSN_NOTHING;
	else if (r->mod == 3 && is_wide(r) && code != 0x80 && (what == 0 || what == 5))
		set(i, CPS_INSN_ADD, r->rm, CPS_INSN_NO_REG, what == 5 ? -value : value);
	else if (r->mod == 3 && is_wide(r) && code != 0x80 && what == 4)
		set(i, CPS_INSN_AND, r->rm, CPS_INSN_NO_REG, value);
}

/* ff: inc, dec, call, jmp, push */
static void read_group_5(struct reader *r, struct cps_insn *i)
{
	unsigned what = r->p < r->end ? *r->p >> 3 & 7 : 7;

	take_operands(r);
	if (what < 2)
		clobber_rm(r, i);
	else if (what == 2)
		i->op = CPS_INSN_CALL;
	else if (what == 6)
		set(i, CPS_INSN_PUSH, CPS_INSN_NO_REG, CPS_INSN_NO_REG, 0);
}

/* Instructions of two bytes, of which the first is 0f. */
static void read_second(struct reader *r, struct cps_insn *i)
{
	uint8_t code = (uint8_t)take(r, 1);

	if (code == 0x0b) { /* ud2 */
		i->op = CPS_INSN_TRAP;
	} else if (code >> 4 == 8) {
		set(i, CPS_INSN_BRANCH, CPS_INSN_NO_REG, CPS_INSN_NO_REG, take_signed(r, 4));
	} else if (code == 0x1e || code == 0x1f) { /* endbr64, nop */
		take_operands(r);
		i->op = CPS_INSN_NOTHING;
	} else if (code >> 4 == 4 || code >> 4 == 9 || (code & 0xf6) == 0xb6 || code == 0xaf) {
		take_operands(r); /* cmov, set, movzx, movsx, imul */
		if (code >> 4 == 9)
			clobber_rm(r, i);
		else
			set(i, CPS_INSN_CLOBBER, r->reg, CPS_INSN_NO_REG, 0);
	} else if (code == 0x10 || code == 0x11 || code == 0x28 || code == 0x29 || code == 0x57 ||
		   code == 0x6f || code == 0x7f || code == 0xef || code == 0xd6) {
		take_operands(r); /* moves and xor of xmm registers */
		i->op = CPS_INSN_NOTHING;
	}
}

/* The prefixes before an instruction; the first byte of the instruction itself. */
static uint8_t take_prefixes(struct reader *r)
{
	for (;;) {
		uint8_t code = (uint8_t)take(r, 1);

		if (code == 0x66)
			r->is_short = true;
		else if (code == 0x64)
			r->is_local = true;
		else if (code != 0x2e && code != 0xf2 && code != 0xf3)
			break;
		if (r->is_bad)
			return 0;
	}
	r->p--;
	if (*r->p >> 4 == 4)
		r->rex = *r->p++;
	return (uint8_t)take(r, 1);
}

/* The instructions without operands in memory. False: it is none of them. */
static bool read_plain(struct reader *r, uint8_t code, struct cps_insn *i)
{
	unsigned reg = dwarf_of[(code & 7) | (r->rex & 1) << 3], none = CPS_INSN_NO_REG;

	if (code >> 3 == 0x50 >> 3 && !r->is_short)
		set(i, CPS_INSN_PUSH, reg, none, 0);
	else if (code >> 3 == 0x58 >> 3 && !r->is_short)
		set(i, CPS_INSN_POP, reg, none, 0);
	else if (code == 0x68 || code == 0x6a) /* push of a number */
		take(r, code == 0x68 ? 4 : 1), set(i, CPS_INSN_PUSH, none, none, 0);
	else if (code >> 4 == 7)
		set(i, CPS_INSN_BRANCH, none, none, take_signed(r, 1));
	else if (code == 0x90)
		i->op = CPS_INSN_NOTHING;
	else if (code == 0x98 || code == 0x99) /* cltq, cqto */
		set(i, CPS_INSN_CLOBBER, code == 0x98 ? 0 : 1, none, 0);
	else if (code >> 3 == 0xb8 >> 3 && !r->is_short) /* mov of a number */
		take(r, is_wide(r) ? 8 : 4), set(i, CPS_INSN_CLOBBER, reg, none, 0);
	else if (code == 0xc3)
		i->op = CPS_INSN_RETURN;
	else if (code == 0xc9)
		i->op = CPS_INSN_LEAVE;
	else if (code == 0xcc || code == 0xf4 || (code == 0xcd && take(r, 1) == 3))
		i->op = CPS_INSN_TRAP; /* int3, hlt */
	else if (code == 0xe8 || code == 0xe9)
		set(i, code == 0xe8 ? CPS_INSN_CALL : CPS_INSN_JUMP, none, none, take_signed(r, 4));
	else if (code == 0xeb)
		set(i, CPS_INSN_JUMP, none, none, take_signed(r, 1));
	else
		return false;
	return true;
}

static void read_other(struct reader *r, uint8_t code, struct cps_insn *i)
{
	if (code < 0x40 && (code & 7) < 4) {
		read_sum(r, code, i);
	} else if (code == 0x80 || code == 0x81 || code == 0x83) {
		read_sum_with_number(r, code, i);
	} else if (code == 0x84 || code == 0x85) { /* test */
		take_operands(r);
		i->op = CPS_INSN_NOTHING;
	} else if (code >= 0x88 && code <= 0x8b) {
		read_move(r, code, i);
	} else if (code == 0x8d) {
		take_operands(r);
		set(i, is_wide(r) ? CPS_INSN_LEA : CPS_INSN_CLOBBER, r->reg, r->base, r->disp);
	} else if (code == 0xc6 || code == 0xc7) { /* mov of a number */
		take_operands(r);
		take(r, code == 0xc6 ? 1 : 4);
		clobber_rm(r, i);
	} else if (code == 0xff) {
		read_group_5(r, i);
	}
}

void cps_insn_read(const uint8_t *bytes, size_t n, uintptr_t address, struct cps_insn *insn)
{
	struct reader r = {.p = bytes, .end = bytes + (n < CPS_INSN_BYTES ? n : CPS_INSN_BYTES)};
	uint8_t code;

	memset(insn, 0, sizeof(*insn));
	set(insn, CPS_INSN_UNKNOWN, CPS_INSN_NO_REG, CPS_INSN_NO_REG, 0);
	insn->second = CPS_INSN_NO_REG;
	code = take_prefixes(&r);
	if (code == 0x0f)
		read_second(&r, insn);
	else if (code == 0xc5 && r.p + 1 < r.end && r.p[0] == 0xf8 && r.p[1] == 0x77)
		r.p += 2, insn->op = CPS_INSN_NOTHING; /* vzeroupper */
	else if (!read_plain(&r, code, insn) && !r.is_short)
		read_other(&r, code, insn);
	insn->length = (uint8_t)(r.p - bytes);
	if (r.is_bad)
		insn->op = CPS_INSN_UNKNOWN;
	if (insn->op == CPS_INSN_BRANCH || insn->op == CPS_INSN_JUMP ||
	    (insn->op == CPS_INSN_CALL && code == 0xe8))
		insn->value += (int64_t)(address + insn->length);
}

#define CALL_BYTES 2	/* of syscall */
#define MOST	   4096 /* no number of a call is so large */

/* An instruction of `bytes` bytes after which eax is a number, or what the register `from` is. */
struct load {
	size_t bytes;
	int number;
	unsigned from;
};

/* The byte before may make an instruction another one. */
static bool loads_number(const uint8_t *p, size_t left, uint8_t before, struct load *load)
{
	uint32_t number = 0;
	bool is_zero = left >= 2 && p[0] == 0x31 && p[1] == 0xc0; /* xorl %eax, %eax */

	if (before >> 4 == 4 || (!is_zero && (left < 5 || p[0] != 0xb8))) /* movl $number, %eax */
		return false;
	if (!is_zero)
		memcpy(&number, p + 1, sizeof(number));
	*load = (struct load){is_zero ? 2 : 5, (int)number, CPS_INSN_NO_REG};
	return number < MOST;
}

/* mov of another register to eax or rax */
static bool moves_number(const uint8_t *p, size_t left, uint8_t before, struct load *load)
{
	struct reader r = {.p = p, .end = p + left};
	uint8_t code;

	if (left < 2 || before >> 4 == 4)
		return false;
	r.rex = *p >> 4 == 4 ? *r.p++ : 0;
	code = *r.p++;
	if ((code & ~2) != 0x89)
		return false;
	take_operands(&r);
	*load = (struct load){(size_t)(r.p - p), -1, code == 0x89 ? r.reg : r.rm};
	return !r.is_bad && r.mod == 3 && (code == 0x89 ? r.rm : r.reg) == 0;
}

/* An instruction before a call: also movslq, which is not met on a function's way back. */
static void read_argument(const uint8_t *p, size_t n, struct cps_insn *insn)
{
	struct reader r = {.p = p + 2, .end = p + n, .rex = *p};

	cps_insn_read(p, n, 0, insn);
	if (insn->op != CPS_INSN_UNKNOWN || n < 3 || *p >> 4 != 4 || p[1] != 0x63)
		return;
	take_operands(&r);
	if (!r.is_bad)
		set(insn, CPS_INSN_CLOBBER, r.reg, CPS_INSN_NO_REG, 0);
	insn->length = (uint8_t)(r.p - p);
}

/* Whether these n bytes are instructions that leave the two registers as they are, and go on one after the other. */
static bool leave(unsigned reg, unsigned other, const uint8_t *p, size_t n)
{
	struct cps_insn insn;

	for (; n; p += insn.length, n -= insn.length) {
		read_argument(p, n, &insn);
		if (insn.op == CPS_INSN_UNKNOWN || insn.op >= CPS_INSN_LEAVE || insn.reg == reg ||
		    (insn.reg == other && other != CPS_INSN_NO_REG))
			return false;
	}
	return true;
}

/* The call itself changes rcx and r11. */
static int number_of(const struct load *load, const struct cps_regs *regs)
{
	enum { RCX = 2, R11 = 11 };

	if (load->from == CPS_INSN_NO_REG)
		return load->number;
	if (load->from == 0 || load->from == RCX || load->from == R11 || load->from >= CPS_REG_PC)
		return -1;
	return (uint32_t)regs->r[load->from] < MOST ? (int)(uint32_t)regs->r[load->from] : -1;
}

int cps_insn_number_before(const uint8_t *code, size_t n, const struct cps_regs *regs)
{
	struct load load;
	size_t rest;

	for (size_t at = n > CALL_BYTES ? n - CALL_BYTES : 0; at-- > 0;) {
		const uint8_t *p = code + at;
		uint8_t before = at ? p[-1] : 0;

		rest = n - CALL_BYTES - at;
		if ((loads_number(p, rest, before, &load) ||
		     moves_number(p, rest, before, &load)) &&
		    leave(0, load.from, p + load.bytes, rest - load.bytes))
			return number_of(&load, regs);
	}
	return -1;
}
