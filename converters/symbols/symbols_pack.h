/* SPDX-License-Identifier: MIT */
/*
 * symbols_pack.h - what files say of all addresses of a profile, for a pack.
 */
#ifndef SYMBOLS_PACK_H
#define SYMBOLS_PACK_H

#include "pack/pack_builder.h"
#include "symbols/symbols.h"

struct pack_piece;

/* Add all that is known of n frames of the profile of s. The options of s have to be those of names of the
 * linker, with inlined functions and lines, and s is of no other use. The lines of sources are noted if
 * `with_lines` is set. -1: out of memory. */
int symbols_pack(struct symbols *s, struct pack_builder *b, const struct profile_frame *frames,
		 size_t n, bool with_lines, struct error *err);

/* Where the function of a frame is, as views find it; the options of s are those of symbols_pack(). *end is 0 if that
 * is not known. -1: out of memory. */
int symbols_pack_extent(struct symbols *s, const struct profile_frame *frame, uint64_t *start,
			uint64_t *end, struct error *err);
/* Add code of a module, as pack_builder_code() does. */
int symbols_pack_code(struct symbols *s, struct pack_builder *b, uint32_t module,
		      const struct pack_piece *piece, struct error *err);

#endif
