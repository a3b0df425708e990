/* SPDX-License-Identifier: MIT */
/*
 * debug_block.h - the functions of a unit of debug information, and what is inlined in a function.
 */
#ifndef DEBUG_BLOCK_H
#define DEBUG_BLOCK_H

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
	struct pieces pieces; /* after debug_ranges_sort */
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
	struct debug_block *block; /* a function's own; NULL: not read yet */
};

enum debug_what {
	DEBUG_FUNCTIONS,     /* of a unit */
	DEBUG_ALL_FUNCTIONS, /* those too that stand in others */
	DEBUG_INLINED,	     /* in a function */
	DEBUG_OUTER,	     /* in a unit: all that functions may stand in, and they themselves */
};

/* What is below one entry. */
struct debug_block {
	struct debug_scope *scopes; /* a scope comes after its parent */
	size_t n, room;
	struct debug_ranges ranges;
};

/* Add the addresses of an entry. 0 or -ENOMEM. */
int debug_ranges_add(struct debug_ranges *r, Dwarf_Die *die, uint32_t owner,
		     struct debug_budget *budget);
/* All are there. 0 or -ENOMEM. */
int debug_ranges_sort(struct debug_ranges *r);
/* The innermost one that covers the address, or NULL. */
const struct debug_range *debug_ranges_find(const struct debug_ranges *r, uint64_t address);
void debug_ranges_clear(struct debug_ranges *r);

/* What a unit's entries may cost, which take so many bytes. */
struct debug_budget debug_budget(uint64_t n_bytes, uint64_t *ranges);

/* Read what is below the entry. NULL: out of memory. */
struct debug_block *debug_block_read(Dwarf_Die *die, enum debug_what what,
				     struct debug_budget *budget);
/* The innermost scope that covers the address, or NULL. */
struct debug_scope *debug_block_find(const struct debug_block *b, uint64_t address);
/* With the blocks of its scopes. NULL is fine. */
void debug_block_free(struct debug_block *b);

#endif
