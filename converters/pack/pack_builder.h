/* SPDX-License-Identifier: MIT */
/*
 * pack_builder.h - collects and encodes the names that a pack is to hold.
 */
#ifndef PACK_PACK_BUILDER_H
#define PACK_PACK_BUILDER_H

#include "base/hash.h"
#include "pack/pack_names.h"

/* ---- pack format ----------------------------------------------------------------------------- */
/*
 * Constants of the names in a pack, for the code that reads and writes them.
 */

/* Before the packed bytes stands how many they become, little-endian. */
#define PACK_SIZE_BYTES 8u
/* They become at most so many times as many: names shrink to half, and what shrinks much more is forged. */
#define PACK_RATIO_MAX 50u
/* No pack has more names than that, or more of code. A compiler's run has some 150 kB of names. */
#define PACK_BYTES_MAX (UINT64_C(1) << 26)

enum pack_module_flag { PACK_MODULE_IS_VDSO = 1, PACK_MODULE_HAS_FILE = 2 };
enum pack_symbol_flag { PACK_SYMBOL_IS_STUB = 1 };

/* ---- pack building --------------------------------------------------------------------------- */
/*
 * What has been collected.
 */

struct building_module {
	struct pack_text path, build_id; /* owned */
	bool is_vdso, has_file;
	uint32_t warning;
	struct strings *symbols;   /* whose texts are the bytes of a struct pack_symbol */
	struct strings *ranges;	   /* of a struct pack_range */
	struct strings *addresses; /* of a uint64_t; the number is that of the place */
	struct pack_place *places;
	size_t n_places, places_size;
	struct strings *extents;   /* of two uint64_t; the number is that of the piece */
	struct pack_piece *pieces; /* whose code is owned */
	size_t n_pieces, pieces_size;
};

struct building_line {
	uint32_t path, line;
};

struct pack_builder {
	struct strings *texts;
	struct strings *keys; /* of modules */
	struct building_module *modules;
	size_t n_modules, modules_size;
	struct pack_function *functions;
	size_t n_functions, functions_size;
	struct building_line *lines; /* some more than once */
	size_t n_lines, lines_size;
	struct pack_excerpt *excerpts;
	size_t n_excerpts, excerpts_size;
};

/* ---- pack builder ---------------------------------------------------------------------------- */
/*
 * Collects the names that a pack is to hold, and encodes them.
 *
 * In: what the files of modules say of addresses, lines of sources. Out: bytes (doc/pack.md).
 * Everything may be added several times, and is held once.
 */

struct pack_builder;

struct pack_builder *pack_builder_new(void); /* NULL: out of memory */
void pack_builder_free(struct pack_builder *b);

/* The number of a text; PACK_NONE: out of memory. */
uint32_t pack_builder_text(struct pack_builder *b, const char *text);
const char *pack_builder_get(const struct pack_builder *b, uint32_t text);

/* The number of the module; PACK_NONE: out of memory. Only path, build_id and is_vdso of it count. */
uint32_t pack_builder_module(struct pack_builder *b, const struct pack_module *module);
/* What else is known of the module: whether a file was there, and a text or PACK_NONE. */
void pack_builder_describe(struct pack_builder *b, uint32_t module, bool has_file,
			   uint32_t warning);

/* Whether the place has been added. */
bool pack_builder_has(const struct pack_builder *b, uint32_t module, uint64_t address);
/* Add a place with what is known of it. NULL: nothing is. -1: out of memory. */
int pack_builder_add(struct pack_builder *b, uint32_t module, uint64_t address,
		     const struct pack_symbol *symbol, const struct pack_range *range,
		     const struct pack_function *functions, size_t n);

/* Add a piece of code, which has a byte at least. Returns 0; 1 if it had been added; -1 if memory is out. */
int pack_builder_code(struct pack_builder *b, uint32_t module, const struct pack_piece *piece);

/* Note that a line of a file is one of a place. -1: out of memory. */
int pack_builder_line(struct pack_builder *b, uint32_t path, uint32_t line);
/* The lines that were noted, with `context` lines around each, as excerpts without text that do not meet. The
 * first call sorts them, with *at 0. False: there are no more. */
bool pack_builder_lines(struct pack_builder *b, uint32_t context, size_t *at,
			struct pack_excerpt *excerpt);
/* Add lines of a file, from number `line` on. -1: out of memory. */
int pack_builder_excerpt(struct pack_builder *b, uint32_t path, uint32_t line,
			 const uint32_t *texts, size_t n);

/* Encode everything, code only if `has_code` is set. The caller frees the bytes. NULL: there is more than a pack can
 * have, or memory is out. */
unsigned char *pack_builder_encode(const struct pack_builder *b, bool has_code, size_t *n,
				   struct error *err);

#endif
