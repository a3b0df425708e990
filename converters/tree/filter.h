/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the filter that decides which samples and frames of a profile go into the tree.
 *
 * In: the values of --focus, --ignore, --hide. Out: marks on names and on nodes.
 *
 * A sample is kept if its stack contains a function in focus (Spivey: "a profile of only the
 * contexts in which one of the given routines is active"), and no function that is ignored. Hidden
 * frames are taken out of the stacks that are kept: their callees become children of their caller,
 * and their self is added to that of their caller. Focus and ignore apply to the stack before
 * hidden frames are taken out.
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

/* A filter that is all zero keeps everything. Values can be added after a filter has been used, and
 * then it can be used again. */
struct filter {
	struct patterns of[FILTER_KINDS];
};

/* Add a value; patterns.h says what it means. Returns -1 if memory is out. */
int filter_add(struct filter *f, enum filter_kind kind, const char *value, struct error *err);
void filter_clear(struct filter *f);

/* Copy the values to `to`, which is empty. Returns -1 if memory is out; `to` is then empty. */
int filter_copy(struct filter *to, const struct filter *from, struct error *err);
/* Whether both filters have the same values. */
bool filter_is_equal(const struct filter *a, const struct filter *b);

/* Whether the filter has any value. If f is NULL, it has none. */
bool filter_is_set(const struct filter *f);

/* The mark of a name is 1 << kind; the marks of a node are FILTER_KEPT and FILTER_NEEDED. */
#define FILTER_HIDDEN (1u << FILTER_HIDE)
#define FILTER_KEPT   8u  /* the node's own samples are kept */
#define FILTER_NEEDED 16u /* the node's own samples are kept, or those of a descendant */

/* Mark the names that the values mean. `marks` has n elements, one for each string; the strings
 * that are names have NAME_MATCH_NAME already. The filter records which values mean no name.
 * Returns -1 if memory is out or an expression is wrong. */
int filter_names(struct filter *f, const struct strings *s, unsigned char *marks, size_t n,
		 struct error *err);

/*
 * Mark the profile's nodes. of_frames has, for each frame, the marks of all of its names. A node
 * without weight is a stack if it is a leaf; then it is kept like any other stack. Time is linear
 * in the nodes.
 */
void filter_nodes(const struct filter *f, const struct profile *p, const unsigned char *of_frames,
		  unsigned char *marks);

#endif
