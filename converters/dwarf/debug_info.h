/* SPDX-License-Identifier: MIT */
/*
 * debug_info.h - finds the functions at an address in the debug information.
 */
#ifndef DWARF_DEBUG_INFO_H
#define DWARF_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elf/elf_file.h"
#include "elf/module_file.h"
#include "elf/symbol_table.h"

/* ---- debug image ----------------------------------------------------------------------------- */
/*
 * Hands the debug information of an ELF file to libdw.
 *
 * In: an ELF file. Out: a Dwarf handle.
 *
 * libdw does not get the file itself but an ELF image in memory, which holds only copies of the
 * file's debug sections. Each copy is read with checks, decompressed, and followed by zeros. For
 * this reason libdw opens no files, whatever the debug information refers to (split DWARF is not
 * followed), and reading stops at the zeros where a string or a number has no end of its own.
 */

struct debug_section {
	const unsigned char *bytes; /* NULL: the file has no such section */
	uint64_t n;
};

/* Begins as all zero. */
struct debug_image {
	Dwarf *dwarf;
	Elf *elf;
	unsigned char *bytes;
	uint64_t n_bytes;
	struct debug_section abbreviations, lines;
};

/*
 * Copy the debug sections of the file, with the line tables only if `lines` is set, and open them.
 * Returns 1; 0 if the file has no debug information that can be used, or if reading it would cost
 * too much (below); -1 if memory is out. The file may be closed afterwards.
 */
int debug_image_open(struct debug_image *d, const struct elf_file *f, bool lines);
/* Free what d holds. d may be all zero, and is all zero afterwards. */
void debug_image_close(struct debug_image *d);

/* ---- debug info ------------------------------------------------------------------------------ */
/*
 * Finds the functions, inlined calls and source lines of an address in the debug information
 * (DWARF) of a module.
 *
 * In: a module's files, and addresses. Out: functions, inlined calls, source lines, names.
 *
 * A compilation unit is the debug information of one source file. It is read when one of its
 * addresses is asked for, for the first time. The debug information is not trusted: entries that
 * are not valid are left out, and the work is bounded by its size.
 */

struct debug_info;
struct debug_scope;

/* One of the functions that an address belongs to: the function itself or an inlined call. */
struct debug_function {
	struct debug_scope *scope; /* for debug_info_name; NULL: only the line is known */
	uint32_t *name;	  /* of the scope, for the caller; STRINGS_NONE at first. NULL: no scope */
	const char *file; /* path of the source that is executed or calls; NULL: not known */
	const char *directory; /* that a relative path begins at; NULL: not known or not relative */
	int line, column;      /* in the file; 0: not known */
};

/*
 * Open the debug information of a module, with source lines only if `lines` is set. *info is NULL
 * if the module has none. The files may be closed afterwards. Returns 0; -1 if memory is out.
 */
int debug_info_open(struct debug_info **info, const struct module_file *files, bool lines);
void debug_info_free(struct debug_info *d);

/*
 * List the function that covers the address, followed by the functions inlined there, each inlined
 * in the one before it. *n is 0 if no function is known. The list is valid until the next call, its
 * strings as long as d. Returns 0; -1 if memory is out.
 */
int debug_info_find(struct debug_info *d, uint64_t address, const struct debug_function **list,
		    size_t *n);

/*
 * Get the name of a function: its linkage name if it has one, else, and always in C, its name in the
 * source, qualified by the enclosing scopes (debug_scopes.c). *name is valid until the next call. It is
 * NULL if there is no name, or if the names taken so far come to more bytes than the debug
 * information has. Returns 0; -1 if memory is out.
 */
int debug_info_name(struct debug_info *d, const struct debug_function *f, const char **name);

/* ---- debug scopes ---------------------------------------------------------------------------- */
/*
 * For debug_info.c: lists the functions of a compilation unit, and the calls inlined in a function.
 *
 * In: an entry (DIE) of the debug information. Out: the scopes below it, by address.
 */

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

/* ---- debug ranges ---------------------------------------------------------------------------- */

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

/* ---- debug enclosing ------------------------------------------------------------------------- */
/*
 * Qualifies the name of a function with the namespaces, types and functions that enclose it in the
 * source.
 *
 * In: a function's entry (DIE) in the debug information. Out: its qualified name.
 */

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
