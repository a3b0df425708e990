/* SPDX-License-Identifier: MIT */
/*
 * function_start.h - where a module's functions begin and end, told by its unwind table.
 */
#ifndef FUNCTION_START_H
#define FUNCTION_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* One entry of .eh_frame: a function, or the part of one that the compiler moved away. */
struct function_range {
	uint64_t start, end; /* virtual addresses, end exclusive */
	uint32_t name;	     /* for the caller; STRINGS_NONE at first */
	bool is_signal;	     /* the return of a signal handler: the range starts one byte early */
};

struct function_ranges {
	struct function_range *ranges; /* by start; each start once */
	size_t n, capacity;
};

/* All ranges of the file. A table that is absent or corrupt gives those that could be read. 0, or
 * -ENOMEM. To be freed in either case. */
int function_ranges_read(struct function_ranges *r, const struct elf_file *f);
void function_ranges_free(struct function_ranges *r);

/* The range that covers the address, or NULL. */
struct function_range *function_ranges_find(const struct function_ranges *r, uint64_t address);

#endif
