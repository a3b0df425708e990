/* SPDX-License-Identifier: MIT */
/*
 * function_names.h - finds the functions of a profile that a user means.
 */
#ifndef GRAPH_FUNCTION_NAMES_H
#define GRAPH_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "graph/graph.h"

/* ---- function names -------------------------------------------------------------------------- */
/*
 * Finds the functions of a profile that a user means with --root, --leaf or a command of cpprof.
 *
 * In: struct tree or struct graph, and a text. Out: names.
 *
 * patterns.h says what a text means; --focus uses it, too. A name also means the places in that
 * function, "NAME FILE:LINE" and "NAME+0xOFFSET", if the tree's names contain places or if no
 * function has exactly that name. A user who types a part of a name has one function in mind. So it
 * is an error if the part is in the names of several functions; the error lists them.
 */

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
/* As before, but a text that means no function is no error: the result is empty. */
int function_names_if_any(struct function_names *f, const struct tree *t, const char *text,
			  struct error *err);
int function_names_of_graph(struct function_names *f, const struct graph *g, const char *text,
			    struct error *err);

/* Find the root functions if the user has named none: main; or if the profile has no main, or only that of an interpreter of
 * whose functions it has names, the heaviest one of the functions of the program (tree_origin) that are its outermost ones in
 * their stacks. Returns -1 if memory is out. */
int function_names_default(struct function_names *f, const struct tree *t, struct error *err);

/* The file names, without directories, of the modules and source files that functions of the profile are in; the same one may
 * come several times. Source files are known if the options of s want lines. s may be NULL. */
void function_names_files(const struct profile *p, struct symbols *s,
			  void (*take)(void *context, const char *name), void *context);

bool function_names_has(const struct function_names *f, uint32_t name);
void function_names_free(struct function_names *f);

/* ---- suggest --------------------------------------------------------------------------------- */
/*
 * Suggests names of the profile for a name that is not in it.
 *
 * In: functions and a name. Out: text for an error message.
 */

/* Set the error to: no function "NAME" in the profile; similar: A, B, C. Returns -1. */
int suggest_functions(const struct tree *t, const char *name, struct error *err);

/* What to say behind a text that looks like a file's name, and is none of a module or of a source file in the profile:
 * "; similar: A, B, C". s may be NULL. */
#define SUGGEST_BYTES 512
const char *suggest_files(const struct profile *p, struct symbols *s, const char *text,
			  char similar[SUGGEST_BYTES]);

/*
 * Call this after tree_build. Returns -1 if the filter has a focus and no value of it means a
 * function; the error is as above. To find similar names, the tree is then built again without the
 * filter.
 */
int suggest_focus(const struct filter *f, const struct profile *p, struct symbols *s,
		  struct error *err);

/* The distance of a name from what was typed, in edits; 0 if only case differs. SUGGEST_FAR if the
 * two do not resemble each other. */
#define SUGGEST_FAR UINT32_MAX
uint32_t suggest_distance(const char *wanted, const char *name);

#endif
