/* SPDX-License-Identifier: MIT */
/*
 * code_ranges.h - finds functions where symbols do not: by .eh_frame, and by the linkage table.
 */
#ifndef ELF_CODE_RANGES_H
#define ELF_CODE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"
#include "elf/symbol_table.h"

/* ---- eh frame functions ---------------------------------------------------------------------- */
/*
 * Finds where a module's functions begin and end from its unwind table.
 *
 * In: an ELF file. Out: the range of addresses that covers an address.
 */

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

/* ---- plt ------------------------------------------------------------------------------------- */
/*
 * Names the stubs through which a module calls functions of other modules.
 *
 * In: an ELF file. Out: symbols in a table.
 */

/*
 * Add a symbol (is_stub) for each stub whose jump target is known. The section SHT_DYNSYM of f must
 * have been added to the table, which has the names. Sections that cannot be read add no symbols.
 * Returns 0 or -ENOMEM.
 */
int plt_add_symbols(struct symbol_table *t, const struct elf_file *f);

#endif
