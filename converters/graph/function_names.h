/* SPDX-License-Identifier: MIT */
/*
 * function_names.h - finds the functions of a profile that a user means with --root, --leaf or a
 * command of cpprof.
 *
 * In: struct tree or struct graph, and a text. Out: names.
 *
 * name_match.h says what a text means; --focus uses it, too. A name also means the places in that
 * function, "NAME FILE:LINE" and "NAME+0xOFFSET", if the tree's names contain places or if no
 * function has exactly that name. A user who types a part of a name has one function in mind. So it
 * is an error if the part is in the names of several functions; the error lists them.
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
	/* The function's name if the text means only one function, else the user's text. Borrowed
	 * from the strings or from the user. */
	const char *title;
};

/*
 * Find the functions that the text means. If the profile has functions and the text means none of
 * them, that is an error, which lists similar names. If the profile has no function, an empty
 * result is no error. Returns 0 or -1 (memory, or one of the errors above). Call
 * function_names_free only after success.
 */
int function_names_of_tree(struct function_names *f, const struct tree *t, const char *text,
			   struct error *err);
int function_names_of_graph(struct function_names *f, const struct graph *g, const char *text,
			    struct error *err);

/* Find the root functions if the user has named none: main, or if the profile has no main, the
 * heaviest outermost function. Returns -1 if memory is out. */
int function_names_default(struct function_names *f, const struct tree *t, struct error *err);

bool function_names_has(const struct function_names *f, uint32_t name);
void function_names_free(struct function_names *f);

#endif
