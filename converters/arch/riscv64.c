/* SPDX-License-Identifier: MIT */
/*
 * riscv64.c - the stubs of linkage tables of riscv64, whose other instructions are not known here.
 */
#include <elf.h>
#include <string.h>

#include "arch/machine.h"

/*
 * The code of a stub:
 *
 *	auipc t3, slot, in units of 4 KiB
 *	ld    t3, the rest(t3)
 *	jalr  t1, t3
 *	nop
 */

enum { STUB_WORDS = 4 };

static bool read_stub(const unsigned char *code, size_t bytes, uint64_t address, int64_t *slot)
{
	uint32_t word[STUB_WORDS];

	(void)address;
	if (bytes < sizeof(word))
		return false;
	memcpy(word, code, sizeof(word));
	if ((word[0] & 0xfff) != 0xe17 || (word[1] & 0xfffff) != 0xe3e03 || word[2] != 0xe0367 ||
	    word[3] != 0x13)
		return false;
	*slot = (int64_t)(int32_t)(word[0] & ~0xfffu) + ((int32_t)word[1] >> 20);
	return true;
}

const struct machine machine_riscv64 = {
	.name = "riscv64",
	.elf = EM_RISCV,
	.call_relocation = R_RISCV_JUMP_SLOT,
	.data_relocation = R_RISCV_64,
	.stub_bytes = 16,
	.stub_step = 16,
	.read_stub = read_stub,
	.step = 2,
};
