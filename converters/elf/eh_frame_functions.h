/* SPDX-License-Identifier: MIT */
/*
 * eh_frame_functions.h - where a module's functions begin and end, told by its unwind table.
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
	bool is_signal;	     /* the return of a signal handler: the range starts one byte early */
};

struct eh_frame_functions {
	struct eh_frame_function *ranges; /* by start; each start once */
	size_t n, capacity;
};

/* All ranges of the file. A table that is absent or corrupt gives those that could be read. 0, or
 * -ENOMEM. To be freed in either case. */
int eh_frame_functions_read(struct eh_frame_functions *r, const struct elf_file *f);
void eh_frame_functions_free(struct eh_frame_functions *r);

/* The range that covers the address, or NULL. */
struct eh_frame_function *eh_frame_functions_find(const struct eh_frame_functions *r,
						  uint64_t address);

#endif
