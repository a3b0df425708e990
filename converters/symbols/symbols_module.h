/* SPDX-License-Identifier: MIT */
/*
 * symbols_module.h - declares the state of each module and the functions that the files symbols*.c
 * share.
 *
 * In: a symbol's text, a module's number. Out: names in the profile's string table.
 */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include "dwarf/debug_info.h"
#include "elf/eh_frame_functions.h"
#include "elf/symbol_table.h"
#include "symbols/symbols.h"

struct module_names {
	bool is_read;
	bool has_file;	   /* a file was found, and it is the one that ran */
	char *warning;	   /* NULL: none */
	const char *label; /* for names in brackets; NULL: the module's name is not known */
	struct symbol_table table;
	struct eh_frame_functions ranges;
	struct debug_info *debug; /* NULL: there is none, or it is not wanted */
	uint64_t text_left;	  /* bytes of names that may still be taken, see symbol_name */
};

struct symbols {
	const struct profile *profile;
	struct symbols_options opt;
	struct module_names *modules;
	struct symbols_place *places; /* of the frame that was expanded last */
	size_t places_room;
	size_t n_others; /* owners except the first */
};

/*
 * Add a name to the profile's string table and set *name to its number. Returns 0; -1 if memory is
 * out.
 */
int symbols_add_text(struct symbols *s, const char *text, uint32_t *name, struct error *err);
int symbols_add_format(struct symbols *s, uint32_t *name, struct error *err, const char *format,
		       ...) __attribute__((format(printf, 4, 5)));
/* The same, demangled if the options say so, with a suffix: "@plt" for a stub. */
int symbols_add_readable(struct symbols *s, const char *text, size_t n, const char *suffix,
			 uint32_t *name, struct error *err);

/*
 * Get the name of a function of the debug information, demangled if the options say so. *name is
 * STRINGS_NONE if the function has none. Returns 0; -1 if memory is out.
 */
int symbols_debug_name(struct symbols *s, struct module_names *m, const struct debug_function *f,
		       uint32_t *name, struct error *err);

/* Returns the module's name, the last part of its path; NULL if no record has its path. */
const char *symbols_label(const struct symbols *s, uint32_t module);

#endif
