/* SPDX-License-Identifier: MIT */
/*
 * debug_scopes.h - the functions of a unit of debug information, and what is inlined in a function.
 */
#ifndef DEBUG_SCOPES_H
#define DEBUG_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elf/address_ranges.h"

#define DEBUG_NO_SCOPE UINT32_MAX

/* Addresses of a scope, or of a unit. */
struct debug_range {
	uint64_t start, end;
	uint32_t owner;
};

struct debug_ranges {
	struct debug_range *list;
	size_t n, room;
	struct address_ranges pieces; /* after debug_ranges_sort */
};

/* What may still be read. Forged information comes to an end here. */
struct debug_budget {
	uint64_t bytes; /* of entries that are stepped over */
	uint64_t unit_bytes;
	uint64_t *ranges; /* shared by all units: many entries may claim the same long list */
};

/* A function, or a call of one that was inlined. */
struct debug_scope {
	Dwarf_Die die;
	uint32_t parent; /* inlined in which scope of the block; DEBUG_NO_SCOPE: in none */
	uint32_t name;	 /* for the user of debug_info.h */
	struct debug_scopes *block; /* a function's own; NULL: not read yet */
};

enum debug_what {
	DEBUG_FUNCTIONS,     /* of a unit */
	DEBUG_ALL_FUNCTIONS, /* those too that stand in others */
	DEBUG_INLINED,	     /* in a function */
	DEBUG_ENCLOSING,     /* in a unit: all that functions may stand in, and they themselves */
};

/* What is below one entry. */
struct debug_scopes {
	struct debug_scope *scopes; /* a scope comes after its parent */
	size_t n, room;
	struct debug_ranges ranges;
};

/* Add the addresses of an entry. 0 or -ENOMEM. */
int debug_ranges_add(struct debug_ranges *r, Dwarf_Die *die, uint32_t owner,
		     struct debug_budget *budget);
/* All are there. 0 or -ENOMEM. */
int debug_ranges_sort(struct debug_ranges *r);
/* Returns the innermost scope that covers the address, or NULL. */
const struct debug_range *debug_ranges_find(const struct debug_ranges *r, uint64_t address);
void debug_ranges_clear(struct debug_ranges *r);

/* What a unit's entries may cost, which take so many bytes. */
struct debug_budget debug_scopes_budget(uint64_t n_bytes, uint64_t *ranges);

/* Read what is below the entry. NULL: out of memory. */
struct debug_scopes *debug_scopes_read(Dwarf_Die *die, enum debug_what what,
				       struct debug_budget *budget);
/* The innermost scope that covers the address, or NULL. */
struct debug_scope *debug_scopes_find(const struct debug_scopes *b, uint64_t address);
/* With the blocks of its scopes. NULL is fine. */
void debug_scopes_free(struct debug_scopes *b);

#endif
