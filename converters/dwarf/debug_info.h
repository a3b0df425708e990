/* SPDX-License-Identifier: MIT */
/*
 * debug_info.h - finds the functions, inlined calls and source lines of an address in the debug
 * information (DWARF) of a module.
 *
 * In: a module's files, and addresses. Out: functions, inlined calls, source lines, names.
 *
 * A compilation unit is the debug information of one source file. It is read when one of its
 * addresses is asked for, for the first time. The debug information is not trusted: entries that
 * are not valid are left out, and the work is bounded by its size.
 */
#ifndef DEBUG_INFO_H
#define DEBUG_INFO_H

#include "elf/module_file.h"

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
 * source, qualified by the enclosing scopes (debug_enclosing.h). *name is valid until the next call. It is
 * NULL if there is no name, or if the names taken so far come to more bytes than the debug
 * information has. Returns 0; -1 if memory is out.
 */
int debug_info_name(struct debug_info *d, const struct debug_function *f, const char **name);

#endif
