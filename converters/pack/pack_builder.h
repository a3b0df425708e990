/* SPDX-License-Identifier: MIT */
/*
 * pack_builder.h - collects the names that a pack is to hold, and encodes them.
 *
 * In: what the files of modules say of addresses, lines of sources. Out: bytes (doc/pack.md). Everything
 * may be added several times, and is held once.
 */
#ifndef PACK_BUILDER_H
#define PACK_BUILDER_H

#include "pack/pack_names.h"

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
