/* SPDX-License-Identifier: MIT */
/*
 * tree_fold.h - folds the profile's tree of addresses into nodes by name.
 */
#ifndef TREE_TREE_FOLD_H
#define TREE_TREE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/patterns.h"
#include "base/stop.h"
#include "model/profile.h"
#include "symbols/symbols.h"

/* ---- filter ---------------------------------------------------------------------------------- */
/*
 * The filter that decides which samples and frames of a profile go into the tree.
 *
 * In: the values of --focus, --ignore, --hide. Out: marks on names and on nodes.
 *
 * A sample is kept if its stack contains a function in focus (Spivey: "a profile of only the
 * contexts in which one of the given routines is active"), and no function that is ignored. Hidden
 * frames are taken out of the stacks that are kept: their callees become children of their caller,
 * and their self is added to that of their caller. Focus and ignore apply to the stack before
 * hidden frames are taken out.
 */

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
/* Whether it has one of --focus or --ignore, so that samples may be left out. */
bool filter_drops(const struct filter *f);

/* ---- frame names ----------------------------------------------------------------------------- */
/*
 * The names that each frame of a profile stands for. Symbols are asked only once.
 */

/* The names of a frame are all[first .. first + n - 1]. */
struct chain {
	uint32_t first, n; /* n is 0 if the names are not known yet */
};

/* ---- origins --------------------------------------------------------------------------------- */
/*
 * Whose a function is: what a reader can change, or what he only calls.
 *
 * In: a module's path, a function's name. Out: enum tree_origin.
 */

/* If several modules have a function of that name, it is of the last of these origins. */
enum tree_origin {
	/* Of a library in a directory of the system; of the libraries of C++ and of Rust, which compilers put into
	 * programs; of cpsample.h; or it is not known whose. */
	TREE_OF_SYSTEM,
	TREE_OF_COMMAND, /* of an executable in a directory of the system, or of an interpreter */
	TREE_OF_PROGRAM, /* all others, also functions that an interpreter has names for */
};

/* Whether the name is one of a library that compilers put into programs, such as std::sort, or of cpsample.h. */
bool tree_origin_is_library(const char *name, size_t n);

/* ---- tree fold ------------------------------------------------------------------------------- */
/*
 * The shape of the sample tree: its nodes, and the node that each sample belongs to.
 */

#define FOLD_DROPPED UINT32_MAX

/* Nodes are numbered in order of creation, so that a parent's number is less than its children's.
 * Node 0 is the root, which has no name. */
struct tree_fold {
	size_t n;
	uint32_t *parents, *names; /* names in the profile's string table */
	bool *inlined;		   /* by node, see tree_is_inline; NULL if no node is inlined */
	uint32_t *nodes; /* by node of the profile: the node of its own samples, or FOLD_DROPPED */
	uint32_t *modules; /* by name, see struct tree */
	size_t n_modules;
	unsigned char *origins; /* likewise */
	size_t n_origins;
};

/* Fill *f; call tree_fold_clear in any case. s may be NULL if all frames have names. The filter may
 * be NULL. Returns -1 if memory is out or an expression of the filter is wrong. */
int tree_fold_build(struct tree_fold *f, const struct profile *p, struct symbols *s,
		    struct filter *filter, struct error *err);
void tree_fold_clear(struct tree_fold *f);

#endif
