/* SPDX-License-Identifier: MIT */
/*
 * eh_frame_functions.h - finds where a module's functions begin and end from its unwind table.
 *
 * In: an ELF file. Out: the range of addresses that covers an address.
 */
#ifndef EH_FRAME_FUNCTIONS_H
#define EH_FRAME_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* One entry of .eh_frame: a function, or the part of one that the compiler moved away. */
struct eh_frame_function {
	uint64_t start, end; /* virtual addresses, end exclusive */
	uint32_t name;	     /* for the caller; STRINGS_NONE at first */
	bool is_signal;	     /* a signal trampoline: the range starts one byte before its code */
};

struct eh_frame_functions {
	struct eh_frame_function *ranges; /* sorted by start; no two have the same start */
	size_t n, capacity;
};

/* Read all ranges of the file; from a corrupt table, those that can be read. A file without an
 * unwind table has none. Returns 0 or -ENOMEM. Call eh_frame_functions_free in either case. */
int eh_frame_functions_read(struct eh_frame_functions *r, const struct elf_file *f);
void eh_frame_functions_free(struct eh_frame_functions *r);

/* The range that covers the address, or NULL. */
struct eh_frame_function *eh_frame_functions_find(const struct eh_frame_functions *r,
						  uint64_t address);

#endif
