/* SPDX-License-Identifier: MIT */
/*
 * debug_scopes.h - lists the functions of a compilation unit, and the calls inlined in a function.
 *
 * In: an entry (DIE) of the debug information. Out: the scopes below it, by address.
 */
#ifndef DEBUG_SCOPES_H
#define DEBUG_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elf/address_ranges.h"

#define DEBUG_NO_SCOPE UINT32_MAX

/* A range of addresses of a scope, or of a unit. */
struct debug_range {
	uint64_t start, end; /* end exclusive */
	uint32_t owner;	     /* number of the scope or unit */
};

struct debug_ranges {
	struct debug_range *list;
	size_t n, room;
	struct address_ranges pieces; /* set by debug_ranges_sort */
};

/* How much may still be read of a unit, so that reading a forged one comes to an end. */
struct debug_budget {
	uint64_t bytes;	     /* of entries that are stepped over */
	uint64_t unit_bytes; /* size of the unit */
	uint64_t *ranges;    /* shared by all units: many entries may refer to the same long list */
};

/* A DWARF scope: a function or an inlined call; with DEBUG_ENCLOSING also a type or a namespace. */
struct debug_scope {
	Dwarf_Die die;
	uint32_t parent;	    /* number of the enclosing scope; DEBUG_NO_SCOPE: none */
	uint32_t name;		    /* for the user of debug_info.h */
	struct debug_scopes *block; /* the calls inlined in a function; NULL: not read yet */
};

/* Which scopes are read. */
enum debug_what {
	DEBUG_FUNCTIONS,     /* the functions of a unit */
	DEBUG_ALL_FUNCTIONS, /* the same, and the functions within functions */
	DEBUG_INLINED,	     /* the calls inlined in a function */
	DEBUG_ENCLOSING,     /* a unit's functions, and all that may enclose a function */
};

/* The scopes below one entry. */
struct debug_scopes {
	struct debug_scope *scopes; /* each scope comes after its parent */
	size_t n, room;
	struct debug_ranges ranges;
};

/* Add the address ranges of an entry. Returns 0 or -ENOMEM. */
int debug_ranges_add(struct debug_ranges *r, Dwarf_Die *die, uint32_t owner,
		     struct debug_budget *budget);
/* Prepare the ranges for debug_ranges_find, once all have been added. Returns 0 or -ENOMEM. */
int debug_ranges_sort(struct debug_ranges *r);
/* The innermost range that covers the address, or NULL. */
const struct debug_range *debug_ranges_find(const struct debug_ranges *r, uint64_t address);
void debug_ranges_clear(struct debug_ranges *r);

/* The budget of a unit whose entries take `n_bytes`. */
struct debug_budget debug_scopes_budget(uint64_t n_bytes, uint64_t *ranges);

/* Read the scopes below the entry. NULL: memory is out. */
struct debug_scopes *debug_scopes_read(Dwarf_Die *die, enum debug_what what,
				       struct debug_budget *budget);
/* The innermost scope that covers the address, or NULL. */
struct debug_scope *debug_scopes_find(const struct debug_scopes *b, uint64_t address);
/* Free the scopes with their blocks. b may be NULL. */
void debug_scopes_free(struct debug_scopes *b);

#endif
