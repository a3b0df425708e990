/* SPDX-License-Identifier: MIT */
/*
 * insn.c - decodes the instructions of aarch64 that lie between a call and the function's return.
 *
 * In: bytes of code. Out: struct cps_insn. What compilers and authors of assembly put there is few:
 * moves, sums, loads and stores of one register or two. Everything else is not understood, which is always a safe answer.
 *
 * Source of the layout: Arm Architecture Reference Manual for A-profile, C4.1. Register 31 is the stack pointer in addresses
 * and sums with numbers, and elsewhere one that is always 0.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/poison.h"

/* The n bits of a word from bit `from` on. */
static uint32_t bits(uint32_t w, unsigned from, unsigned n)
{
	return w >> from & ((1u << n) - 1);
}

static int64_t signed_bits(uint32_t w, unsigned from, unsigned n)
{
	return (int64_t)((uint64_t)w << (64 - from - n)) >> (64 - n);
}

bool cps_insn_is_kept(unsigned reg)
{
	return (reg >= 19 && reg <= CPS_REG_FP) || reg == CPS_REG_SP;
}

static void set(struct cps_insn *i, enum cps_insn_op op, unsigned reg, unsigned base, int64_t value)
{
	i->op = op;
	i->reg = (uint8_t)reg;
	i->base = (uint8_t)base;
	i->value = value;
}

/* A register that is not the stack pointer. */
static unsigned plain(uint32_t number)
{
	return number == 31 ? CPS_INSN_NO_REG : number;
}

/* An instruction that changes its first operand in a way that is not followed. */
static void clobber(uint32_t w, struct cps_insn *i)
{
	unsigned reg = plain(bits(w, 0, 5));

	if (reg == CPS_INSN_NO_REG)
		i->op = CPS_INSN_NOTHING;
	else
		set(i, CPS_INSN_CLOBBER, reg, CPS_INSN_NO_REG, 0);
}

static void clobber_with_sp(uint32_t w, struct cps_insn *i)
{
	set(i, CPS_INSN_CLOBBER, bits(w, 0, 5), CPS_INSN_NO_REG, 0);
}

/* ---- sums and moves ---------------------------------------------------------------------------- */

/* add and sub with a number; cmp */
static void read_sum_with_number(uint32_t w, struct cps_insn *i)
{
	unsigned to = bits(w, 0, 5), from = bits(w, 5, 5);
	int64_t value = (int64_t)bits(w, 10, 12) << (bits(w, 22, 1) ? 12 : 0);

	if (bits(w, 29, 1)) /* sets flags */
		clobber(w, i);
	else if (!bits(w, 31, 1)) /* of 32 bits */
		clobber_with_sp(w, i);
	else
		set(i, to == from ? CPS_INSN_ADD : CPS_INSN_LEA, to, from,
		    bits(w, 30, 1) ? -value : value);
}

static void read_immediate(uint32_t w, struct cps_insn *i)
{
	switch (bits(w, 23, 3)) {
	case 2:
		read_sum_with_number(w, i);
		break;
	case 3: /* with tags */
		clobber_with_sp(w, i);
		break;
	case 4: /* and, orr, eor; ands, of which tst is one */
		if (bits(w, 29, 2) == 3)
			clobber(w, i);
		else
			clobber_with_sp(w, i);
		break;
	default: /* adr, mov of a number, fields of bits */
		clobber(w, i);
	}
}

/* Those with operands in registers. */
static void read_registers(uint32_t w, struct cps_insn *i)
{
	if ((w & 0xffe0ffe0) == 0xaa0003e0 && bits(w, 16, 5) != 31) /* mov */
		set(i, CPS_INSN_MOVE, plain(bits(w, 0, 5)), bits(w, 16, 5), 0);
	else if (bits(w, 24, 5) == 0x0b && bits(w, 21, 1) && !bits(w, 29, 1)) /* with sp */
		clobber_with_sp(w, i);
	else if (bits(w, 21, 8) == 0xd2) /* ccmp */
		i->op = CPS_INSN_NOTHING;
	else
		clobber(w, i);
	if (i->op == CPS_INSN_MOVE && i->reg == CPS_INSN_NO_REG)
		i->op = CPS_INSN_NOTHING;
}

/* ---- memory -------------------------------------------------------------------------------------- */

enum index { AFTER = 1, PLAIN, BEFORE };

/* A load or store of words in general registers whose address changes its base, or does not. */
static void at_address(struct cps_insn *i, uint32_t w, enum index index, int64_t distance)
{
	i->base = (uint8_t)bits(w, 5, 5);
	i->value = index == PLAIN ? distance : 0;
	i->before = (int16_t)(index == BEFORE ? distance : 0);
	i->after = (int16_t)(index == AFTER ? distance : 0);
}

/* Of other registers or sizes: no more than the base is followed. */
static void at_address_only(struct cps_insn *i, uint32_t w, enum index index, int64_t distance)
{
	if (index == PLAIN)
		i->op = CPS_INSN_NOTHING;
	else
		set(i, CPS_INSN_ADD, bits(w, 5, 5), CPS_INSN_NO_REG, distance);
}

/* stp, ldp */
static void read_pair(uint32_t w, struct cps_insn *i)
{
	bool is_vector = bits(w, 26, 1), is_load = bits(w, 22, 1);
	uint32_t size = bits(w, 30, 2), kind = bits(w, 23, 3);
	enum index index = kind == 0 ? PLAIN : (enum index)kind;
	int64_t distance = signed_bits(w, 15, 7) * (is_vector ? 4 << size : size ? 8 : 4);

	if (kind > BEFORE)
		return;
	if (is_vector || (size == 0 && !is_load)) {
		at_address_only(i, w, index, distance);
	} else if (size == 2) {
		i->op = is_load ? CPS_INSN_LOAD : CPS_INSN_STORE;
		i->reg = (uint8_t)plain(bits(w, 0, 5));
		i->second = (uint8_t)plain(bits(w, 10, 5));
		at_address(i, w, index, distance);
	}
}

/* One general register or a part of it, or one of the others. */
static void read_one(uint32_t w, struct cps_insn *i, enum index index, int64_t distance)
{
	bool is_vector = bits(w, 26, 1), is_load = bits(w, 22, 2) != 0, is_whole = w >> 30 == 3;

	if (is_vector || (!is_load && !is_whole)) {
		at_address_only(i, w, index, distance);
	} else if (is_whole && bits(w, 23, 1)) { /* prefetched */
		i->op = CPS_INSN_NOTHING;
	} else if (is_whole) {
		i->op = is_load ? CPS_INSN_LOAD : CPS_INSN_STORE;
		i->reg = (uint8_t)plain(bits(w, 0, 5));
		at_address(i, w, index, distance);
	} else if (index == PLAIN) {
		clobber(w, i);
	}
}

static void read_single(uint32_t w, struct cps_insn *i)
{
	uint32_t size = w >> 30 | (bits(w, 26, 1) ? bits(w, 23, 1) << 2 : 0);

	if (bits(w, 24, 1))
		read_one(w, i, PLAIN, (int64_t)bits(w, 10, 12) << size);
	else if (!bits(w, 21, 1) && bits(w, 10, 2) != 2)
		read_one(w, i, bits(w, 10, 2) ? (enum index)bits(w, 10, 2) : PLAIN,
			 signed_bits(w, 12, 9));
	else if (bits(w, 22, 2) == 0 && bits(w, 10, 2) == 2)
		i->op = CPS_INSN_NOTHING; /* a store to an address that is not followed */
	else if (bits(w, 26, 1))
		i->op = CPS_INSN_NOTHING;
	else
		clobber(w, i); /* a load from there, or an atomic change */
}

static void read_memory(uint32_t w, struct cps_insn *i)
{
	if (bits(w, 27, 3) == 5)
		read_pair(w, i);
	else if (bits(w, 27, 3) == 7)
		read_single(w, i);
	else if (bits(w, 27, 3) == 3 && !bits(w, 24, 2)) /* ldr of what lies in the code */
		clobber(w, i);
}

/* ---- branches ------------------------------------------------------------------------------------ */

static void lead(struct cps_insn *i, enum cps_insn_op op, uintptr_t address, int64_t words)
{
	set(i, op, CPS_INSN_NO_REG, CPS_INSN_NO_REG, (int64_t)address + 4 * words);
}

/* By the address in a register. */
static void read_branch_by_register(uint32_t w, struct cps_insn *i)
{
	if (w == 0xd65f03c0 || (w & 0xfffffbff) == 0xd65f0bff) /* ret, retaa */
		i->op = CPS_INSN_RETURN;
	else if ((w & 0xfffffc1f) == 0xd63f0000 || (w & 0xfefff800) == 0xd63f0800) /* blr, blraa */
		set(i, CPS_INSN_CALL, CPS_INSN_NO_REG, CPS_INSN_NO_REG, 0);
}

static void read_system(uint32_t w, struct cps_insn *i)
{
	if ((w & 0xfffff01f) == 0xd503201f || (w & 0xfffff000) == 0xd5033000) /* hints, barriers */
		i->op = CPS_INSN_NOTHING;
	else if (w >> 20 == 0xd53) /* mrs */
		clobber(w, i);
	else if (w >> 20 == 0xd51) /* msr */
		i->op = CPS_INSN_NOTHING;
	else if ((w & 0xffe0001f) == 0xd4200000 || (w & 0xffe0001f) == 0xd4400000) /* brk, hlt */
		i->op = CPS_INSN_TRAP;
}

static void read_branch(uint32_t w, struct cps_insn *i, uintptr_t address)
{
	if (bits(w, 26, 5) == 5)
		lead(i, bits(w, 31, 1) ? CPS_INSN_CALL : CPS_INSN_JUMP, address,
		     signed_bits(w, 0, 26));
	else if (w >> 24 == 0x54 || bits(w, 25, 6) == 0x1a) /* b.eq, cbz */
		lead(i, CPS_INSN_BRANCH, address, signed_bits(w, 5, 19));
	else if (bits(w, 25, 6) == 0x1b) /* tbz */
		lead(i, CPS_INSN_BRANCH, address, signed_bits(w, 5, 14));
	else if (bits(w, 25, 7) == 0x6b)
		read_branch_by_register(w, i);
	else
		read_system(w, i);
}

/* ---------------------------------------------------------------------------------------------------- */

void cps_insn_read(const uint8_t *bytes, size_t n, uintptr_t address, struct cps_insn *insn)
{
	uint32_t w, group;

	memset(insn, 0, sizeof(*insn));
	set(insn, CPS_INSN_UNKNOWN, CPS_INSN_NO_REG, CPS_INSN_NO_REG, 0);
	insn->second = CPS_INSN_NO_REG;
	insn->length = 4;
	if (n < sizeof(w))
		return;
	w = cps_regs_word(bytes);
	group = bits(w, 25, 4);
	if (w >> 16 == 0) /* udf */
		insn->op = CPS_INSN_TRAP;
	else if (group >> 1 == 4)
		read_immediate(w, insn);
	else if (group >> 1 == 5)
		read_branch(w, insn, address);
	else if ((group & 5) == 4)
		read_memory(w, insn);
	else if ((group & 7) == 5)
		read_registers(w, insn);
	else if ((group & 7) == 7) /* vectors; what goes to general registers is among them */
		clobber(w, insn);
}

/* The kernel leaves the number where it was. */
int cps_insn_number_before(const uint8_t *code, size_t n, const struct cps_regs *regs)
{
	enum { MOST = 4096 };
	uint64_t number = regs->r[CPS_REG_CALL_NUMBER];

	return n >= 4 && cps_regs_word(code + n - 4) == CPS_REGS_CALL_CODE && number < MOST
		       ? (int)number
		       : -1;
}
