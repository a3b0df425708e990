/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - names of the profile that resemble one that is not in it.
 *
 * In: functions and a name. Out: text for an error message.
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include "graph/graph.h"

/* Sets the error: no function "NAME" in the profile; similar: A, B, C. Returns -1. */
int suggest_functions(const struct tree *t, const char *name, struct error *err);
int suggest_of_graph(const struct graph *g, const char *name, struct error *err);

/*
 * After tree_build: -1 if the filter has a focus that means no function at all, with the error as
 * above. The profile is folded once more for it, then without the filter.
 */
int suggest_focus(const struct filter *f, const struct profile *p, struct symbols *s,
		  struct error *err);

/* How far is a name from what was typed: edits, 0 if only case differs. SUGGEST_FAR: they do not
 * resemble each other. */
#define SUGGEST_FAR UINT32_MAX
uint32_t suggest_distance(const char *wanted, const char *name);

#endif
