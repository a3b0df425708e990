/* SPDX-License-Identifier: MIT */
/*
 * aarch64.c - the stubs of aarch64's linkage tables.
 */
#include <elf.h>
#include <string.h>

#include "arch/machine.h"

/*
 * The code of a stub is the same in all sections. Where branches are guarded there is a `bti c` before it and a nop behind it.
 *
 *	adrp x16, page of the slot
 *	ldr  x17, [x16, place in the page]
 *	add  x16, x16, place in the page
 *	br   x17
 */

enum { STUB_WORDS = 4 };

static int64_t page_of(uint32_t adrp)
{
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

	return (int64_t)(pages << 43) >> 31;
}

static bool read_stub(const unsigned char *code, size_t bytes, uint64_t address, int64_t *slot)
{
	uint32_t word[STUB_WORDS];
	int64_t place;

	if (bytes < sizeof(word))
		return false;
	memcpy(word, code, sizeof(word));
	if ((word[0] & 0x9f00001f) != 0x90000010 || (word[1] & 0xffc003ff) != 0xf9400211 ||
	    (word[2] & 0xffc003ff) != 0x91000210 || word[3] != 0xd61f0220)
		return false;
	place = (int64_t)(word[1] >> 10 & 0xfff) * 8;
	*slot = page_of(word[0]) + place - (int64_t)(address & 0xfff);
	return true;
}

const struct machine machine_aarch64 = {
	.name = "aarch64",
	.elf = EM_AARCH64,
	.call_relocation = R_AARCH64_JUMP_SLOT,
	.data_relocation = R_AARCH64_GLOB_DAT,
	.stub_bytes = 16,
	.stub_step = 4,
	.read_stub = read_stub,
};
