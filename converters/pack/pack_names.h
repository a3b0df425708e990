/* SPDX-License-Identifier: MIT */
/*
 * pack_names.h - decodes the names and the code in packs, and finds names there.
 */
#ifndef PACK_PACK_NAMES_H
#define PACK_PACK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/pack_file.h"

/* ---- pack names ------------------------------------------------------------------------------ */
/*
 * What a pack says of addresses: symbols, inlined functions, source lines, the text of these lines,
 * and code.
 *
 * In: a pack (doc/pack.md). Out: tables, which nobody changes later.
 *
 * These are the answers that files of programs and libraries have given when the recordings were
 * packed, as they were given: names are mangled, and nothing is chosen yet. So all options about
 * names work as they do with the files.
 */

#define PACK_NONE UINT32_MAX

struct pack_text {
	const char *bytes; /* not terminated */
	size_t length;
};

struct pack_symbol {
	uint64_t start, end; /* end exclusive; it may be 0 if the symbol has no size */
	uint32_t text;	     /* the symbol's name, a number of a text */
	bool is_stub;	     /* the code is not the function but a jump to it in another module */
};

/* An entry of the unwind table. */
struct pack_range {
	uint64_t start, end;
};

/* A function that an address belongs to. Texts are numbers, or PACK_NONE. */
struct pack_function {
	uint32_t name, file, directory;
	uint32_t line, column; /* 0: not known */
};

struct pack_place {
	uint64_t address;	/* a virtual address of the module */
	uint32_t symbol, range; /* in the module's lists, or PACK_NONE */
	size_t first;		/* in the list of all functions: the function itself, then */
	uint32_t n_functions;	/* those that are inlined at the address, from outside in */
};

/* The code of a function. */
struct pack_piece {
	uint64_t start,
		end; /* as the symbol or the entry of the unwind table says, end exclusive */
	struct pack_text code; /* from `start` on; shorter if the file had no more */
};

struct pack_module {
	struct pack_text path, build_id;
	bool is_vdso;
	bool has_file;	  /* a file was found, and it was the one that ran */
	uint32_t warning; /* a text about its files, or PACK_NONE */
	struct pack_symbol *symbols;
	size_t n_symbols;
	struct pack_range *ranges;
	size_t n_ranges;
	struct pack_place *places; /* by address, ascending */
	size_t n_places;
	struct pack_piece
		*pieces; /* by start and end, ascending; only in what a pack has of code */
	size_t n_pieces;
};

/* Lines of a source file that follow each other. */
struct pack_excerpt {
	uint32_t path;	 /* a text */
	uint32_t line;	 /* the first one's number, from 1 */
	uint32_t n;	 /* how many */
	uint32_t *lines; /* texts; in the list of all lines */
};

struct pack_names {
	uint32_t *texts; /* where in the bytes each begins */
	size_t n_texts;
	struct pack_module *modules; /* by path, build id and is_vdso, ascending */
	size_t n_modules;
	struct pack_function *functions; /* of all modules */
	size_t n_functions, functions_size;
	struct pack_excerpt *excerpts; /* by path and line, ascending */
	size_t n_excerpts;
	uint32_t *lines; /* of all excerpts; texts */
	size_t n_lines, lines_size;
	uint64_t text_bytes;  /* of all texts together */
	unsigned char *bytes; /* that texts are in */
};

/* Read the names of a pack. The caller frees *names, also after an error. -1: they are damaged, or memory
 * is out. */
int pack_names_read(struct pack_names *names, const struct pack_file *pack, struct error *err);
/* The same of the code in a pack, with the names that it needs. They are empty if the pack has none. */
int pack_names_read_code(struct pack_names *names, const struct pack_file *pack, struct error *err);
void pack_names_free(struct pack_names *names);

static inline const char *pack_names_text(const struct pack_names *names, uint32_t text)
{
	return (const char *)names->bytes + names->texts[text];
}

/* The module of that path and build id, or NULL. */
const struct pack_module *pack_names_module(const struct pack_names *names, struct pack_text path,
					    struct pack_text build_id, bool is_vdso);
/* The place at the address, or NULL. In a piece of code an address without a place of its own has that of the last one
 * before it. */
const struct pack_place *pack_names_place(const struct pack_module *module, uint64_t address);

/* The last of n pieces that begins at the address or before it, or NULL. */
const struct pack_piece *pack_names_piece_before(const struct pack_piece *pieces, size_t n,
						 uint64_t address);
/* Whether a place at the address `last` is also that of a later address: both are in this piece. */
static inline bool pack_names_joins(const struct pack_piece *piece, uint64_t last, uint64_t address)
{
	return piece && last >= piece->start && address - piece->start < piece->code.length;
}
/* The code of the function between these addresses, or NULL. */
const struct pack_piece *pack_names_piece(const struct pack_module *module, uint64_t start,
					  uint64_t end);

/* The line of a source file, by the path that the debug information has. NULL: it is not packed. */
const char *pack_names_line(const struct pack_names *names, const char *path, uint32_t line);
/* Whether some lines of the file are packed. */
bool pack_names_has_file(const struct pack_names *names, const char *path);

/* The order of modules. */
int pack_names_compare(const struct pack_module *a, const struct pack_module *b);

/* ---- pack set -------------------------------------------------------------------------------- */
/*
 * The packs that are read, whose names and code are read when they are asked for, for the first
 * time.
 */

struct pack_set {
	char **paths; /* owned */
	size_t n, size;
	struct pack_names *names; /* n of them, or NULL: not read yet */
	struct pack_names *code;  /* likewise; those of code */
};

/* Add a pack, unless it is there. */
int pack_set_add(struct pack_set *s, const char *path, struct error *err);
/* Read all names, unless they have been read. -1: a pack is damaged, or memory is out. */
int pack_set_read(struct pack_set *s, struct error *err);
/* The same of what packs have of code. */
int pack_set_read_code(struct pack_set *s, struct error *err);
/* Number i of all that was read: the names of each pack, behind them what each has of code. */
static inline const struct pack_names *pack_set_get(const struct pack_set *s, size_t i)
{
	return i < s->n ? &s->names[i] : &s->code[i - s->n];
}
void pack_set_clear(struct pack_set *s);

#endif
