/* SPDX-License-Identifier: MIT */
/*
 * callpath_trie.h - the paths of a call path profile while it is built.
 *
 * In: paths, each as a parent and a name. Out: struct callpaths.
 */
#ifndef CALLPATH_TRIE_H
#define CALLPATH_TRIE_H

#include "base/pair_table.h"
#include "tree/callpath.h"

struct callpath_trie {
	struct callpaths *paths;
	struct pair_table pairs; /* (parent, name) -> path - 1 */
	size_t size;		 /* allocated elements of paths->paths */
	uint32_t limit;		 /* more paths are an error; to be set after callpath_trie_begin */
};

/* Begin with only the empty path. Returns -1 if memory is out. Call callpath_trie_end in any
 * case. */
int callpath_trie_begin(struct callpath_trie *t, const struct tree *tree, bool up,
			struct error *err);

/* Find the path that consists of `parent` and the name; add it if it is new. Returns -1 on error
 * (memory, too many paths). */
int callpath_trie_extend(struct callpath_trie *t, uint32_t parent, uint32_t name, uint32_t *path,
			 struct error *err);

/* Let a node of the tree note the path: unless the path is locked, add the node's weight to it and
 * lock it. Returns whether that was done; if so, unlock the path when the walk leaves the node. */
bool callpath_trie_note(struct callpath_trie *t, uint32_t path, const struct tree_node *node);
void callpath_trie_unlock(struct callpath_trie *t, uint32_t path);

/* Sort the paths and return them; everything else is freed. If status is not 0, or if memory is
 * out, free the paths, too, and return NULL. */
struct callpaths *callpath_trie_end(struct callpath_trie *t, int status, struct error *err);

#endif
