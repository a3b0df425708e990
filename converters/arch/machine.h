/* SPDX-License-Identifier: MIT */
/*
 * machine.h - what the converters know of each machine.
 *
 * A recording is read wherever it was made, so all machines are linked: a file with a table for each, and its line in
 * machine.c. The recorder's part of a machine is in libsampler/arch/.
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_TEXT_BYTES 128
#define MACHINE_ALL	   "x86-64 and aarch64" /* whose instructions are known, as messages name them */

struct machine_instruction {
	uint64_t target; /* where it jumps to or what it calls, if has_target */
	bool has_target;
	unsigned char bytes; /* its length */
};

struct machine {
	const char *name; /* as recordings and uname(1) have it */
	uint16_t elf;	  /* e_machine */

	/* Types of relocations that give a slot the address of a function: of the linkage table, and others. */
	uint32_t call_relocation, data_relocation;
	/* The linkage table's stubs have so many bytes, or twice as many. If there may be something else between them, one begins at a
	 * multiple of `stub_step`; 0: there is not. */
	size_t stub_bytes, stub_step;
	/* Whether the code at the address is a stub; *slot: where the address is that it jumps to, relative to the stub. */
	bool (*read_stub)(const unsigned char *code, size_t n, uint64_t address, int64_t *slot);

	/* Decode the instruction at the beginning of the code, whose address is given. False: it is none. NULL, as what follows: instructions
	 * of this machine are not known. On machines whose instructions all have the same length there are no others. */
	bool (*decode)(const unsigned char *code, size_t n, uint64_t address,
		       struct machine_instruction *to);
	/* Its text as GNU's objdump has it, without its target if it has one; "(bad)" or a number if it is none. */
	void (*write)(const unsigned char *code, size_t n, uint64_t address,
		      char text[MACHINE_TEXT_BYTES]);
	size_t step; /* bytes of what is no instruction */
};

extern const struct machine machine_x86_64, machine_aarch64, machine_riscv64;

/* The machine of ELF files with this e_machine; of recordings that name it. NULL: it is not known. */
const struct machine *machine_of_elf(uint16_t elf);
const struct machine *machine_named(const char *name);

#endif
