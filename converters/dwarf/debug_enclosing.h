/* SPDX-License-Identifier: MIT */
/*
 * debug_enclosing.h - what a function of the debug information stands in: namespaces, types and
 * functions.
 */
#ifndef DEBUG_ENCLOSING_H
#define DEBUG_ENCLOSING_H

#include "dwarf/debug_scopes.h"

/* A name with what it stands in. */
struct debug_enclosing_text {
	char *bytes;
	size_t room;
};

/* The block of the unit that an entry is of, read with DEBUG_ENCLOSING; *block is NULL if there is
 * none. 0; -1 out of memory. */
typedef int debug_enclosing_block(void *context, Dwarf_Die *die, const struct debug_scopes **block);

/*
 * The name of a function that the linker has no name for, as C++ qualifies it: "ns::type::f". What
 * has no name is "(anonymous namespace)", "<lambda LINE>" or "<type LINE>", by the line where it
 * begins. *name is the function's own, and becomes text's, valid until the next call, if the
 * function stands in anything and that takes no more than so many bytes. A function directly within
 * a function, as in GNU C, keeps its own. 0; -1 out of memory.
 */
int debug_enclosing_name(Dwarf_Die *function, debug_enclosing_block *block_of, void *context,
			 struct debug_enclosing_text *text, size_t max, const char **name);

#endif
