/* SPDX-License-Identifier: MIT */
/*
 * debug_enclosing.h - qualifies the name of a function with the namespaces, types and functions
 * that enclose it in the source.
 *
 * In: a function's entry (DIE) in the debug information. Out: its qualified name.
 */
#ifndef DEBUG_ENCLOSING_H
#define DEBUG_ENCLOSING_H

#include "dwarf/debug_scopes.h"

/* Room for a qualified name. Begins as all zero; the owner frees `bytes`. */
struct debug_enclosing_text {
	char *bytes;
	size_t room;
};

/* Gets the scopes, read with DEBUG_ENCLOSING, of the unit that contains an entry. *block is NULL if
 * no such unit is known. Returns 0; -1 if memory is out. */
typedef int debug_enclosing_block(void *context, Dwarf_Die *die, const struct debug_scopes **block);

/*
 * Qualify the name of a function that has no linkage name, as C++ does: "ns::type::f". An enclosing
 * scope without a name is written "(anonymous namespace)", "<lambda LINE>" or "<type LINE>", where
 * LINE is the line of its declaration.
 *
 * The caller sets *name to the function's own name. If the function has an enclosing scope and the
 * qualified name takes no more than `max` bytes, *name becomes a string that `text` holds, valid
 * until the next call; else *name stays as it is. A function directly within a function, as in
 * GNU C, keeps its own name. Returns 0; -1 if memory is out.
 */
int debug_enclosing_name(Dwarf_Die *function, debug_enclosing_block *block_of, void *context,
			 struct debug_enclosing_text *text, size_t max, const char **name);

#endif
