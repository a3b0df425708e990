/* SPDX-License-Identifier: MIT */
/*
 * callpath_trie.h - the paths of a call path profile while it is built.
 *
 * In: paths, each as another one and a name. Out: struct callpaths.
 */
#ifndef CALLPATH_TRIE_H
#define CALLPATH_TRIE_H

#include "base/pair_table.h"
#include "tree/callpath.h"

struct callpath_trie {
	struct callpaths *paths;
	struct pair_table pairs; /* (parent, name) -> path - 1 */
	size_t size;		 /* room for paths */
	uint32_t limit;		 /* more paths are an error; set after callpath_trie_begin */
};

/* Only the empty path. -1: memory. In any case, callpath_trie_end it. */
int callpath_trie_begin(struct callpath_trie *t, const struct tree *tree, bool up,
			struct error *err);

/* The path made of this one and the name, added if it is new. -1: memory, too many paths. */
int callpath_trie_extend(struct callpath_trie *t, uint32_t parent, uint32_t name, uint32_t *path,
			 struct error *err);

/* The tree's node notes the path: credits it, and locks it, unless it is locked already. Returns
 * whether it has; unlock the path when the walk leaves the node. */
bool callpath_trie_note(struct callpath_trie *t, uint32_t path, const struct tree_node *node);
void callpath_trie_unlock(struct callpath_trie *t, uint32_t path);

/* The paths in order; frees the rest. With status != 0, or when memory is out, frees all: NULL. */
struct callpaths *callpath_trie_end(struct callpath_trie *t, int status, struct error *err);

#endif
