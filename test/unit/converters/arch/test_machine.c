/* SPDX-License-Identifier: MIT */
/*
 * test_machine.c - machines are found by name and number, and the stubs of aarch64 lead where objdump says.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#include "arch/machine.h"

Test(machine, is_found_by_name_and_by_number)
{
	cr_assert_eq(machine_named("x86_64"), &machine_x86_64);
	cr_assert_eq(machine_named("aarch64"), &machine_aarch64);
	cr_assert_eq(machine_of_elf(EM_AARCH64), &machine_aarch64);
	cr_assert_eq(machine_of_elf(EM_X86_64), &machine_x86_64);
	cr_assert_null(machine_named("vax"));
	cr_assert_null(machine_of_elf(EM_VAX));
}

static const uint32_t stub[] = {0x90000110, 0xf9400611, 0x91002210, 0xd61f0220};

/* adrp of the page at 0x20000, with the slot at 0x20008. */
Test(machine, leads_from_a_stub_to_its_slot)
{
	int64_t slot = 0;

	cr_assert(
		machine_aarch64.read_stub((const unsigned char *)stub, sizeof(stub), 0x720, &slot));
	cr_assert_eq(slot, 0x20008 - 0x720);
}

/* The page may lie before the code. */
Test(machine, leads_backwards)
{
	const uint32_t back[] = {0xf0fffff0, stub[1], stub[2], stub[3]};
	int64_t slot = 0;

	cr_assert(machine_aarch64.read_stub((const unsigned char *)back, sizeof(back), 0x5010,
					    &slot));
	cr_assert_eq(slot, 0x4008 - 0x5010);
}

/* Seen to fail: without the look at the registers any load after an adrp is a stub. */
Test(machine, takes_no_other_code_for_a_stub)
{
	uint32_t other[4];
	int64_t slot;

	for (int i = 0; i < 4; i++) {
		memcpy(other, stub, sizeof(other));
		other[i] ^= 0x20;
		if (i == 0)
			other[i] ^= 0x21; /* the immediate may be any, the register not */
		cr_assert_not(machine_aarch64.read_stub((const unsigned char *)other, sizeof(other),
							0x720, &slot));
	}
	cr_assert_not(machine_aarch64.read_stub((const unsigned char *)stub, 12, 0x720, &slot));
}
