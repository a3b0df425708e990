/* SPDX-License-Identifier: MIT */
/*
 * code_places.h - the places in the functions that a user means, with what they weigh.
 *
 * In: a tree whose names stand for places (symbols.h), and a text. Out: struct code_places.
 */
#ifndef ANNOTATE_CODE_PLACES_H
#define ANNOTATE_CODE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "symbols/symbols.h"
#include "tree/tree.h"

/* The place that a name of the tree stands for. */
struct code_place {
	bool is_known; /* a frame of the profile is at this place */
	bool is_ours;  /* the place is in one of the functions that are meant */
	uint32_t module;
	uint64_t address; /* of a frame at this place */
	struct symbols_place is;
};

struct code_places {
	struct code_place *by_name;
	size_t n_names;
	char *title;	      /* what the functions are called */
	uint64_t self, total; /* of the functions; each stack counts once for the total */
};

/* Find the functions that the text means (function_names.h), and their places. NULL: all functions are meant, and what
 * they weigh together is left out. -1: there is no such function, or memory is out. To be freed in any case. */
int code_places_find(struct code_places *p, const struct profile *profile, struct symbols *symbols,
		     const struct tree *tree, const char *text, struct error *err);
void code_places_free(struct code_places *p);

/* If there is no function of this name because the compiler has inlined it everywhere, set the error anew: it says in
 * which functions. */
void code_places_explain(const struct profile *profile, struct symbols *symbols, const char *text,
			 struct error *err);

#endif
