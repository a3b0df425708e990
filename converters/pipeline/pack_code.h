/* SPDX-License-Identifier: MIT */
/*
 * pack_code.h - puts the code of functions into a pack.
 */
#ifndef PACK_CODE_H
#define PACK_CODE_H

#include "model/profile.h"
#include "pack/pack_builder.h"
#include "symbols/symbols.h"

/* How much may be added yet, and how much was. */
struct pack_code_room {
	uint64_t left; /* bytes of code */
	size_t n;      /* functions */
};

/* All functions of a compiler's run have a half of it. */
#define PACK_CODE_BYTES_MAX (4u << 20)
/* Of a function. Larger ones are tables, or code that a program has generated. */
#define PACK_CODE_PIECE_MAX (1u << 20)
#define PACK_CODE_ROOM	    ((struct pack_code_room){.left = PACK_CODE_BYTES_MAX})

/* Add the code of the functions of the profile, the heaviest ones first, as long as there is room, with what is known of each
 * instruction and of where it jumps. The options of s are those of symbols_pack(). -1: out of memory. */
int pack_code(struct pack_builder *b, struct pack_code_room *room, const struct profile *p,
	      struct symbols *s, struct error *err);

#endif
