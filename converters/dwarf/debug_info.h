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
 * source, qualified by the enclosing scopes (debug_scopes.h). *name is valid until the next call. It is
 * NULL if there is no name, or if the names taken so far come to more bytes than the debug
 * information has. Returns 0; -1 if memory is out.
 */
int debug_info_name(struct debug_info *d, const struct debug_function *f, const char **name);

#endif
