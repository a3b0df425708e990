/* SPDX-License-Identifier: MIT */
/*
 * symbol_table.h - the function symbols of one module, by address.
 *
 * A symbol covers what its size says and nothing beyond. Where several do, the one that starts last
 * is meant, then the one that ends first; of those with equal ranges a function rather than a bare
 * label, global before weak before local, fewer leading underscores, the shorter, the bytewise
 * first.
 */
#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/address_ranges.h"
#include "elf/elf_file.h"

/* The main file's .symtab and .dynsym, and a debug file's .symtab. */
#define SYMBOL_TABLE_SOURCES 3

struct symbol {
	uint64_t start, end; /* virtual addresses, end exclusive */
	uint32_t name;	     /* for the caller; STRINGS_NONE at first */
	uint32_t text;	     /* offset in the names of its source */
	unsigned char source, rank;
	bool is_stub; /* not the function itself but a jump to it in another module */
};

struct symbol_list {
	struct symbol *symbols;
	size_t n, capacity;
};

struct symbol_table {
	struct symbol_list sized, unsized; /* sorted by finish */
	struct address_ranges pieces;	   /* of the sized ones */
	struct {
		Elf64_Word type; /* of the section */
		unsigned char *names;
		uint64_t bytes;
	} sources[SYMBOL_TABLE_SOURCES];
	size_t n_sources;
};

/*
 * Take the function symbols of a section of the given type (SHT_SYMTAB, SHT_DYNSYM). 0 (an
 * absent or corrupt section has none), or -ENOMEM. The table starts all zero.
 */
int symbol_table_add_section(struct symbol_table *t, const struct elf_file *f, Elf64_Word type);
/* The first source of that type, or -1. */
int symbol_table_source(const struct symbol_table *t, Elf64_Word type);
/* Take one symbol of a source, if its text is one there. 0 or -ENOMEM. */
int symbol_table_add(struct symbol_table *t, const struct symbol *symbol);
/* All are there: sort. 0 or -ENOMEM. */
int symbol_table_finish(struct symbol_table *t);
void symbol_table_free(struct symbol_table *t);

/* The symbol whose range covers the address, or NULL. */
struct symbol *symbol_table_covering(const struct symbol_table *t, uint64_t address);
/* The symbol without size at exactly this address, or NULL. */
struct symbol *symbol_table_label(const struct symbol_table *t, uint64_t address);
/* Its name without version suffix, as it is in the file; *bytes at most 1 MiB. Not terminated. */
const char *symbol_table_text(const struct symbol_table *t, const struct symbol *s, size_t *bytes);

#endif
