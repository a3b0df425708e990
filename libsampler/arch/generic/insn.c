/* SPDX-License-Identifier: MIT */
/*
 * insn.c - says of each instruction that it is not understood, which is always a safe answer.
 */
#include <string.h>

#include "arch/arch.h"
#include "base/poison.h"

void cps_insn_read(const uint8_t *bytes, size_t n, uintptr_t address, struct cps_insn *insn)
{
	(void)bytes;
	(void)n;
	(void)address;
	memset(insn, 0, sizeof(*insn));
	insn->op = CPS_INSN_UNKNOWN;
	insn->length = CPS_INSN_BYTES;
}

/* The kernel leaves the number where it was. */
int cps_insn_number_before(const uint8_t *code, size_t n, const struct cps_regs *regs)
{
	enum { MOST = 4096 };
	uint64_t number = regs->r[CPS_REG_CALL_NUMBER];
	uint32_t last = 0;

	if (n >= sizeof(last))
		memcpy(&last, code + n - sizeof(last), sizeof(last));
	return last == CPS_REGS_CALL_CODE && number < MOST ? (int)number : -1;
}

bool cps_insn_is_kept(unsigned reg)
{
	(void)reg;
	return false;
}
