/* SPDX-License-Identifier: MIT */
/*
 * symbol_table.h - finds the symbol that covers an address.
 */
#ifndef ELF_SYMBOL_TABLE_H
#define ELF_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

/* ---- address sort ---------------------------------------------------------------------------- */
/*
 * Sorts elements that begin with an address.
 *
 * In: an array. Out: the same array in order.
 */

/*
 * Sort n elements of `size` bytes, each of which begins with a uint64_t. The result is the same as
 * that of qsort_r with `compare`, which must compare this number first. Returns 0 or -ENOMEM.
 */
int address_sort(void *elements, size_t size, size_t n,
		 int (*compare)(const void *, const void *, void *), void *context);

/* ---- address ranges -------------------------------------------------------------------------- */
/*
 * Cuts address ranges that nest and overlap, so that each address has one owner.
 *
 * In: sorted ranges. Out: the range that an address belongs to.
 */

#define ADDRESS_RANGES_NONE UINT32_MAX

/* A piece, which reaches from its start to the start of the next piece. */
struct address_range {
	uint64_t start;
	uint32_t owner; /* index of a range, or ADDRESS_RANGES_NONE */
};

struct address_ranges {
	struct address_range *list; /* disjoint, by start */
	size_t n;
	/* An index: the addresses from the start of the first piece are divided into stretches of
	 * 2^shift addresses. before[i] is the number of pieces that start before stretch i, and
	 * before[n_stretches] the number of all pieces. NULL: there is no index. */
	uint32_t *before;
	size_t n_stretches;
	unsigned shift;
};

/*
 * Cut `n` ranges into pieces. Each range takes `stride` bytes, which begin with two uint64_t: its
 * start and its end (exclusive, above the start). The caller has sorted the ranges by start, longer
 * ranges before shorter ones, and equal ranges so that the preferred one is the last. An address
 * belongs to the last range in this order that covers it, which is the innermost one if the ranges
 * nest. *p is overwritten. Returns 0 or -ENOMEM.
 */
int address_ranges_cut(struct address_ranges *p, const void *ranges, size_t stride, size_t n);

/* The range that the address belongs to, or ADDRESS_RANGES_NONE. */
uint32_t address_ranges_find(const struct address_ranges *p, uint64_t address);

/* Free what p holds; p is then empty. */
void address_ranges_clear(struct address_ranges *p);

/* ---- symbol table ---------------------------------------------------------------------------- */
/*
 * Finds the function symbols of one module by address.
 *
 * In: symbol table sections of ELF files. Out: the symbol at an address.
 *
 * A symbol covers the addresses that its size states, and none beyond. Where several symbols cover
 * an address, the one that starts last is used; if these start at the same address, the one that
 * ends first. Of symbols with equal ranges the following are preferred, in this order of criteria
 * (decision 61): a function to a bare label; names that other modules can be linked to, to those of
 * an old version, and these to local ones; fewer leading underscores; global to weak; the shorter
 * name; the name that is first in bytewise order.
 */

/* The sources of names are the main file's .symtab and .dynsym, and a debug file's .symtab. */
#define SYMBOL_TABLE_SOURCES 3

struct symbol {
	uint64_t start, end; /* virtual addresses, end exclusive */
	uint32_t name;	     /* for the caller; STRINGS_NONE at first */
	uint32_t text;	     /* offset in the names of its source */
	unsigned char source, rank;
	bool is_stub; /* the code is not the function but a jump to it in another module */
};

struct symbol_list {
	struct symbol *symbols;
	size_t n, capacity;
};

struct symbol_table {
	struct symbol_list sized, unsized; /* symbol_table_finish sorts them */
	struct address_ranges pieces;	   /* of the sized ones */
	struct {
		Elf64_Word type; /* of the section */
		unsigned char *names;
		uint64_t bytes;
	} sources[SYMBOL_TABLE_SOURCES];
	size_t n_sources;
};

/*
 * Add the function symbols of a section of the given type (SHT_SYMTAB, SHT_DYNSYM). A missing or
 * corrupt section has none. The table begins as all zero. Returns 0 or -ENOMEM.
 */
int symbol_table_add_section(struct symbol_table *t, const struct elf_file *f, Elf64_Word type);
/* The number of the first source of that type, or -1. */
int symbol_table_source(const struct symbol_table *t, Elf64_Word type);
/* Add one symbol of a source, unless its name is outside the source's names or is a mark of the
 * assembler. Returns 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *t, const struct symbol *symbol);
/* Sort the symbols for lookups, once all have been added. Returns 0 or -ENOMEM. */
int symbol_table_finish(struct symbol_table *t);
void symbol_table_free(struct symbol_table *t);

/* The symbol whose range covers the address, or NULL. */
struct symbol *symbol_table_covering(const struct symbol_table *t, uint64_t address);
/* The symbol without size at exactly this address, or NULL. */
struct symbol *symbol_table_label(const struct symbol_table *t, uint64_t address);
/* The name of a symbol as it is in the file, without the version suffix. It is not terminated; its
 * length *bytes is at most 1 MiB. */
const char *symbol_table_text(const struct symbol_table *t, const struct symbol *s, size_t *bytes);

#endif
