/* SPDX-License-Identifier: MIT */
/*
 * debug_info.h - what the debug information (DWARF) of a module says of an address: which functions
 * were inlined there, and which source lines these are.
 *
 * A unit, what came of one source file, is read when the first of its addresses is asked for.
 * Nothing in the information is believed: what cannot be is left out, and the work is bounded by
 * its size.
 */
#ifndef DEBUG_INFO_H
#define DEBUG_INFO_H

#include "elf/module_file.h"

struct debug_info;
struct debug_scope;

/* One of the functions that an address belongs to. */
struct debug_function {
	struct debug_scope *scope; /* for debug_info_name; NULL: only the line is known */
	uint32_t *
		name; /* for the caller; STRINGS_NONE at first. One for each inlined call, or NULL */
	const char *file;      /* where execution stands in it, a path; NULL: not known */
	const char *directory; /* what the path is relative to, if it is; NULL: not known */
	int line, column;      /* 0: not known */
};

/*
 * The debug information of a module; *info is NULL if there is none. Lines: with source lines. The
 * files may be closed afterwards. 0; -1 out of memory.
 */
int debug_info_open(struct debug_info **info, const struct module_file *files, bool lines);
void debug_info_free(struct debug_info *d);

/*
 * The function that covers the address, then those inlined there, each in the one before; *n is 0
 * if none is known. The list is valid until the next call, its texts as long as d. 0; -1 out of
 * memory.
 */
int debug_info_find(struct debug_info *d, uint64_t address, const struct debug_function **list,
		    size_t *n);

/*
 * The name, as the linker has it if it is known so, else as the source has it, with what it stands
 * in, see debug_enclosing.h. *name is NULL if there is none, or more names were asked for than any
 * information has; it is valid until the next call. 0; -1 out of memory.
 */
int debug_info_name(struct debug_info *d, const struct debug_function *f, const char **name);

#endif
