/* SPDX-License-Identifier: MIT */
/*
 * callpath_trie.c - collects the paths of a call path profile.
 *
 * In: paths, each as a parent and a name. Out: struct callpaths, in order.
 */
#include "tree/callpath_trie.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "tree/callpath.h"

int callpath_trie_begin(struct callpath_trie *t, const struct tree *tree, bool up,
			struct error *err)
{
	*t = (struct callpath_trie){.paths = calloc(1, sizeof(*t->paths)), .limit = UINT32_MAX};
	if (!t->paths || !array_reserve(&t->paths->paths, &t->size, 1, sizeof(struct callpath)))
		return error_memory(err);
	t->paths->tree = tree;
	t->paths->up = up;
	t->paths->paths[0] = (struct callpath){.name = STRINGS_NONE};
	t->paths->n_paths = 1;
	return 0;
}

int callpath_trie_extend(struct callpath_trie *t, uint32_t parent, uint32_t name, uint32_t *path,
			 struct error *err)
{
	struct callpaths *c = t->paths;
	uint32_t pair = pair_table_child(&t->pairs, parent, name);

	if (pair >= PAIR_TABLE_NONE - 1)
		return error_memory(err);
	if (pair >= t->limit)
		return error_set(err,
				 "there are more than %" PRIu32
				 " call paths; --depth 20 leaves out the long ones",
				 t->limit);
	*path = pair + 1;
	if (*path < c->n_paths)
		return 0;
	if (!array_reserve(&c->paths, &t->size, c->n_paths + 1, sizeof(*c->paths)))
		return error_memory(err);
	c->paths[c->n_paths++] = (struct callpath){
		.parent = parent,
		.name = name,
		.length = c->paths[parent].length + 1,
	};
	return 0;
}

bool callpath_trie_note(struct callpath_trie *t, uint32_t path, const struct tree_node *node)
{
	struct callpath *p = &t->paths->paths[path];

	if (p->locked)
		return false;
	p->locked = true;
	p->weight += node->total;
	p->hits += node->hits;
	return true;
}

void callpath_trie_unlock(struct callpath_trie *t, uint32_t path)
{
	t->paths->paths[path].locked = false;
}

struct callpaths *callpath_trie_end(struct callpath_trie *t, int status, struct error *err)
{
	pair_table_clear(&t->pairs);
	if (!status && !callpath_order(t->paths, err))
		return t->paths;
	callpath_free(t->paths);
	return NULL;
}
