/* SPDX-License-Identifier: MIT */
/*
 * symbols_locate.h - finds what is known of an address: in files, and in packs.
 */
#ifndef SYMBOLS_SYMBOLS_LOCATE_H
#define SYMBOLS_SYMBOLS_LOCATE_H

#include "dwarf/debug_info.h"
#include "elf/code_ranges.h"
#include "elf/symbol_table.h"
#include "pack/pack_names.h"
#include "symbols/short_names.h"
#include "symbols/symbols.h"

/* ---- symbols module -------------------------------------------------------------------------- */
/*
 * Declares the state of each module and the functions that the files symbols*.c share.
 *
 * In: a symbol's text, a module's number. Out: names in the profile's string table.
 */

/* What one pack says of a module. */
struct packed_module {
	const struct pack_module *of;
	size_t pack;		/* which one, see pack_set_get() */
	struct symbol *symbols; /* in the order of the pack; `text` is the number of a text */
	struct eh_frame_function *ranges; /* likewise */
};

struct module_names {
	bool is_begun;		/* its label and what packs say are known */
	bool is_compared;	/* and whether it is refused */
	bool is_read;		/* its files are */
	bool is_one_of_several; /* in a comparison, another module has the same label */
	bool is_refused;   /* and only one of them has names: functions are not compared by name */
	const char *row;   /* what stands for the module as a whole: the label, or s->programs */
	bool has_frames;   /* in a comparison: something was sampled in it */
	bool has_file;	   /* a file was found, and it is the one that ran */
	char *warning;	   /* NULL: none */
	const char *label; /* for names in brackets; NULL: the module's name is not known */
	struct symbol_table table;
	struct eh_frame_functions ranges;
	struct debug_info *debug; /* NULL: there is none, or it is not wanted */
	uint64_t text_left;	  /* bytes of names that may still be taken, see symbol_name */
	struct packed_module *packed;
	size_t n_packed;
};

/* What has become of the texts of a pack. */
struct packed_texts {
	uint32_t *names;    /* of functions, by text; STRINGS_NONE at first */
	uint64_t text_left; /* as that of a module */
};

struct symbols {
	const struct profile *profile;
	struct symbols_options opt;
	struct module_names *modules;
	char *programs; /* a row's name for the two programs that are compared; NULL: they have the same */
	uint32_t program_before,
		program_after;	      /* their modules; PROFILE_NO_MODULE: there are several */
	uint32_t *started_as;	      /* by module, see symbols_name_programs */
	struct symbols_place *places; /* of the frame that was expanded last */
	size_t places_room;
	struct short_names short_names;
	struct packed_texts *packs; /* by number in pack_set_get() */
	size_t n_packs;
	struct debug_function *functions; /* of the place in a pack that was asked for last */
	size_t functions_room;
	size_t n_others; /* owners except the first */
};

/* What is known of an address of a module: by its files, or by a pack. */
struct symbols_location {
	struct module_names *m;
	uint64_t address;
	const struct packed_module *packed; /* NULL: by its files */
	const struct pack_place *place;	    /* in the pack */
	bool has_file;			    /* the module's file is or was there */
	struct symbol *symbol;		    /* NULL: none is known */
	struct eh_frame_function
		*range; /* likewise; not looked for if a symbol covers the address */
};

/* ---- symbols_locate.c ---- */

/* Find what is known of the address. The module is below n_modules; if its name is not known, l->m->label is
 * NULL, and nothing else is. Returns 0; -1 if memory is out, or a pack is damaged. */
int symbols_locate(struct symbols *s, uint32_t module, uint64_t address, struct symbols_location *l,
		   struct error *err);
/* The name of l->symbol as the file has it; it has *n bytes, and may not be terminated. */
const char *symbols_location_text(const struct symbols *s, const struct symbols_location *l,
				  size_t *n);
/* How many bytes of such names may still be taken. */
uint64_t *symbols_location_text_left(struct symbols *s, const struct symbols_location *l);
/* List the functions at the address, as debug_info_find does, if the options want any. */
int symbols_location_functions(struct symbols *s, const struct symbols_location *l,
			       const struct debug_function **list, size_t *n, struct error *err);
/* The name of one of them as debug_info_name gives it. */
int symbols_location_function_text(struct symbols *s, const struct symbols_location *l,
				   const struct debug_function *f, const char **text,
				   struct error *err);

/* ---- symbols_locate.c ---- */

void symbols_packed_free(struct module_names *m);

/* Find what a comparison needs to know of modules. -1: out of memory. */
int symbols_compared(struct symbols *s);

/* ---- entry points ---------------------------------------------------------------------------- */
/*
 * Names main and _start of programs without symbols.
 *
 * In: the stacks of a profile. Out: names in struct symbols.
 */

/*
 * Name the entry point and main of a stripped program, which the calls of the C library's start-up
 * code reveal. The outermost function is named "_start" if it calls __libc_start_main. The function
 * that the C library's frames then call in the same module as _start is named "main". A function
 * that has a symbol keeps its name. Call this before any name is used. Returns 0; -1 if memory is
 * out.
 */
int entry_points_name(struct symbols *s, const struct profile *p, struct error *err);

#endif
