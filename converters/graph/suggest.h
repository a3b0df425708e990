/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - suggests names of the profile for a name that is not in it.
 *
 * In: functions and a name. Out: text for an error message.
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include "graph/graph.h"

/* Set the error to: no function "NAME" in the profile; similar: A, B, C. Returns -1. */
int suggest_functions(const struct tree *t, const char *name, struct error *err);
int suggest_of(const struct strings *strings, const struct tree_function *functions, size_t n,
	       const char *name, struct error *err);
int suggest_of_graph(const struct graph *g, const char *name, struct error *err);

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
