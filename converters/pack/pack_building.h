/* SPDX-License-Identifier: MIT */
/*
 * pack_building.h - what pack_builder.c has collected, for pack_encode.c.
 */
#ifndef PACK_BUILDING_H
#define PACK_BUILDING_H

#include "base/strings.h"
#include "pack/pack_builder.h"

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

#endif
