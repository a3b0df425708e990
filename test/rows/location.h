/* SPDX-License-Identifier: MIT */
/*
 * location.h - evaluates what libdw says of the caller's registers.
 *
 * This is written without a look at libsampler/unwind/cfi.c, whose results it is compared
 * with. Source: DWARF 4, 2.5 and 2.6.
 */
#ifndef ROWS_LOCATION_H
#define ROWS_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* The general ones: of x86-64 with the program counter, which is the return address's, of aarch64 up to the stack pointer. */
#define LOCATION_REGISTERS (1 + (CPS_REGS_HAS_LINK ? CPS_REG_SP : CPS_REG_RA))

/* A frame: its registers by DWARF number, and all the memory that can be read. */
struct location_frame {
	uint64_t registers[LOCATION_REGISTERS];
	const uint64_t *memory;
	size_t memory_bytes;
	uint64_t cfa;
};

enum location { LOCATION_VALUE, LOCATION_BAD_MEMORY, LOCATION_BAD_OPERATION };

/* Evaluate an expression of n operations. *value is what is on top of the stack at its end. */
enum location location_evaluate(const struct location_frame *f, const Dwarf_Op *ops, size_t n,
				uint64_t *value);

/* Get the caller's register out of a location description of n > 0 operations. f->cfa must be
 * set. */
enum location location_register(const struct location_frame *f, const Dwarf_Op *ops, size_t n,
				uint64_t *value);

#endif
