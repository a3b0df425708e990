/* SPDX-License-Identifier: MIT */
/*
 * filter.h - which samples and which frames of a profile become part of the tree.
 *
 * In: the values of --focus, --ignore, --hide. Out: marks on names and on nodes.
 *
 * A sample is kept if its stack contains a function in focus (Spivey: "a profile of only the
 * contexts in which one of the given routines is active"), and none that is ignored. Of the stacks
 * that are kept, hidden frames are taken out: what they call hangs under their caller, what they
 * used themselves is their caller's. Focus and ignore see the stack with its hidden frames.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/patterns.h"
#include "model/profile.h"

enum filter_kind { FILTER_FOCUS, FILTER_IGNORE, FILTER_HIDE, FILTER_KINDS };

/* Begins as all zero: everything is kept. One that was used may be added to, and used again. */
struct filter {
	struct patterns of[FILTER_KINDS];
};

/* One more value (patterns.h says what it means). -1: memory. */
int filter_add(struct filter *f, enum filter_kind kind, const char *value, struct error *err);
void filter_clear(struct filter *f);

/* Make `to`, which is empty, a filter of the same values. -1: memory; `to` is then empty. */
int filter_copy(struct filter *to, const struct filter *from, struct error *err);
/* Says whether both filters have the same values. */
bool filter_is_equal(const struct filter *a, const struct filter *b);

/* Says whether the filter has any value. A NULL filter has none. */
bool filter_is_set(const struct filter *f);

/* Marks of a name, 1 << kind, and of a node. */
#define FILTER_HIDDEN (1u << FILTER_HIDE)
#define FILTER_KEPT   8u  /* the node's own samples stay */
#define FILTER_NEEDED 16u /* they do, or a descendant's */

/* Mark the strings that are names, which have NAME_MATCH_NAME; there are n. Notes in f which values
 * meant nothing. -1: memory, or an error of usage. */
int filter_names(struct filter *f, const struct strings *s, unsigned char *marks, size_t n,
		 struct error *err);

/*
 * Mark the profile's nodes. of_frames has, for each frame, the marks of all of its names. A node
 * without weight is a stack if no other goes through it: then it is kept like any other. Linear in
 * the nodes.
 */
void filter_nodes(const struct filter *f, const struct profile *p, const unsigned char *of_frames,
		  unsigned char *marks);

#endif
