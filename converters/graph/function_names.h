/* SPDX-License-Identifier: MIT */
/*
 * function_names.h - which functions of a profile a user means: of --root and --leaf, and of the
 * commands of cpprof.
 *
 * In: struct tree or struct graph, and a text. Out: names.
 *
 * name_match.h says what a text means, as it does for --focus. A name also means the places in that
 * function, "NAME FILE:LINE" and "NAME+0xOFFSET", if the tree's names say places or if there is no
 * function of just that name. A part of a name must be that of one function only, because whoever
 * types a part of a name has one function in mind: else the error lists the functions.
 */
#ifndef FUNCTION_NAMES_H
#define FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/graph.h"

struct function_names {
	uint32_t *list; /* numbers in the strings of the tree or graph, ascending */
	size_t n;
	/* The function's name if it is only one, else the user's text; borrowed from the strings or
	 * from the user. */
	const char *title;
};

/*
 * Find the functions that the text means. Only in a profile without any function may none be
 * found; if there are functions and the text means none, that is an error, which lists similar
 * names. -1: error, which may also be memory; *f needs no function_names_free then.
 */
int function_names_of_tree(struct function_names *f, const struct tree *t, const char *text,
			   struct error *err);
int function_names_of_graph(struct function_names *f, const struct graph *g, const char *text,
			    struct error *err);

/* The root functions where the user has named none: main, or if there is none, the heaviest
 * outermost function. -1: memory. */
int function_names_default(struct function_names *f, const struct tree *t, struct error *err);

bool function_names_has(const struct function_names *f, uint32_t name);
void function_names_free(struct function_names *f);

#endif
