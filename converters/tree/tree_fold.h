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
 * In: the values of --focus, --ignore, --hide, --collapse. Out: marks on names and on nodes.
 *
 * A sample is kept if its stack contains a function in focus (Spivey: "a profile of only the
 * contexts in which one of the given routines is active"), and no function that is ignored. Hidden
 * frames are taken out of the stacks that are kept: their callees become children of their caller,
 * and their self is added to that of their caller. Of frames to be collapsed that call each other the
 * outermost stays, and the others are hidden in it. Focus and ignore apply to the stack before
 * frames are taken out.
 *
 * A text that is no name of a function may be the file name, or the end of the path from a slash on, of
 * modules or of source files. Then it means all functions there. With a module focus and ignore mean what is
 * called there, not that the C library has called main, or a thread's function: where a stack begins with
 * functions of the C library, these count only if it ends there.
 */

enum filter_kind { FILTER_FOCUS, FILTER_IGNORE, FILTER_HIDE, FILTER_COLLAPSE, FILTER_KINDS };

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
/* Whether a value may be the name of a source file, so that the names have to be made with source lines. */
bool filter_wants_lines(const struct filter *f);

/* Whether the text means the module or the source file of this path. A module's version may be left out: "libz" and
 * "libz.so.1" mean libz.so.1.2.13. */
bool filter_means_module(const char *path, const char *text);
bool filter_means_source(const char *path, const char *text);

/* Marks. That of a name, and of a place, for a kind of filter is 1 << kind. A frame has those of FILTER_DROPS of all its
 * names; shifted left by FILTER_BY_NAME again, without those that only its file has; and FILTER_START if stacks may
 * begin with it. */
#define FILTER_DROPS   (1u << FILTER_FOCUS | 1u << FILTER_IGNORE)
#define FILTER_BY_NAME 2
#define FILTER_START   128u
/* Marks of a node: its own samples are kept, or those of a descendant. */
#define FILTER_KEPT   16u
#define FILTER_NEEDED 32u
/* Only while these are found. */
#define FILTER_HAS_CHILD 64u

/* Whether functions of that module call main or a thread's function. */
bool filter_is_start_module(const char *path);

/* Mark the profile's nodes. of_frames has the marks of each frame. A node without weight is a stack if it is a leaf;
 * then it is kept like any other stack. Time is linear in the nodes. */
void filter_nodes(const struct filter *f, const struct profile *p, const unsigned char *of_frames,
		  unsigned char *marks);

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
	size_t n_focused; /* functions that values of --focus mean by their names */
};

/* Fill *f; call tree_fold_clear in any case. s may be NULL if all frames have names. The filter may
 * be NULL. Returns -1 if memory is out or an expression of the filter is wrong. */
int tree_fold_build(struct tree_fold *f, const struct profile *p, struct symbols *s,
		    struct filter *filter, struct error *err);
void tree_fold_clear(struct tree_fold *f);

#endif
