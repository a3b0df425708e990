/* SPDX-License-Identifier: MIT */
/*
 * callpath_down.c - folds the tree into the call paths that begin with a root function.
 *
 * In: struct tree. Out: struct callpaths.
 *
 * Hall & Goldberg's CPP-Rec descends the tree with a canonical path, the state. A node named g
 * notes the path state + g: its record gets the node's weight unless a node above has it locked.
 * Below, the state is that path, or, if g is in the state already, the state cut back to g.
 *
 *     stack   main  a     b       a             c
 *     notes   main  main  main a  main a b a    main a c
 *                   a     b       (cut: main a)
 *
 * The paths are a trie. The names of a state are distinct, and a state is a path of the trie:
 * `spine` holds its path of each length, and `where` the path at which a name came last. A name is
 * in the state if that path still is on the spine. A cut only lowers the length, so that each step,
 * and its undoing, takes constant time however deep the recursion.
 */
#include "tree/callpath.h"

#include <stdlib.h>
#include <string.h>

#include "tree/callpath_trie.h"

/* What a step changed, to be put back when the walk leaves the node. */
struct step {
	uint32_t noted;	    /* the path, or 0 if a node above held its lock */
	uint32_t length;    /* of the state before */
	uint32_t old_spine; /* what stood at the noted path's length */
	uint32_t old_where; /* what stood at its name */
	bool appended;
};

struct descent {
	const struct tree *tree;
	struct callpath_trie trie;
	uint32_t *spine;    /* by length */
	uint32_t *where;    /* by name; 0: nowhere */
	uint32_t length;    /* of the state */
	struct step *steps; /* by depth below the root function */
	uint32_t n_steps;
};

static bool in_state(const struct descent *d, uint32_t path)
{
	uint32_t length = d->trie.paths->paths[path].length;

	return path != 0 && length <= d->length && d->spine[length] == path;
}

static int enter(struct descent *d, const struct tree_node *n, struct error *err)
{
	struct step *step = &d->steps[d->n_steps];
	uint32_t path = 0, earlier = d->where[n->name];

	if (callpath_trie_extend(&d->trie, d->spine[d->length], n->name, &path, err))
		return -1;
	step->noted = callpath_trie_note(&d->trie, path, n) ? path : 0;
	step->length = d->length;
	step->appended = !in_state(d, earlier);
	if (step->appended) {
		d->length++;
		step->old_spine = d->spine[d->length];
		step->old_where = earlier;
		d->spine[d->length] = path;
		d->where[n->name] = path;
	} else {
		d->length = d->trie.paths->paths[earlier].length;
	}
	d->n_steps++;
	return 0;
}

static void leave(struct descent *d)
{
	const struct step *step = &d->steps[--d->n_steps];

	if (step->noted)
		callpath_trie_unlock(&d->trie, step->noted);
	if (step->appended) {
		uint32_t path = d->spine[d->length];

		d->where[d->trie.paths->paths[path].name] = step->old_where;
		d->spine[d->length] = step->old_spine;
	}
	d->length = step->length;
}

/* CPP-Rec on the subtree of node `top`, which has the root function's name. */
static int descend(struct descent *d, uint32_t top, struct error *err)
{
	const struct tree_node *nodes = d->tree->nodes;
	uint32_t i;

	for (i = top; i < nodes[top].end; i++) {
		while (d->n_steps > nodes[i].depth - nodes[top].depth)
			leave(d);
		if (enter(d, &nodes[i], err))
			return -1;
	}
	while (d->n_steps > 0)
		leave(d);
	return 0;
}

/* Summarize-below-root: the outermost root function takes its whole subtree. */
static int summarize(struct descent *d, uint32_t root, struct error *err)
{
	const struct tree *t = d->tree;
	uint32_t i = 1;

	while (i < t->n_nodes) {
		if (t->nodes[i].name != root) {
			i++;
			continue;
		}
		if (descend(d, i, err))
			return -1;
		i = t->nodes[i].end;
	}
	return 0;
}

static int prepare(struct descent *d, struct error *err)
{
	uint32_t height = tree_height(d->tree);

	d->spine = calloc((size_t)height + 2, sizeof(*d->spine));
	d->where = calloc(strings_count(d->tree->strings) + 1, sizeof(*d->where));
	d->steps = calloc((size_t)height + 1, sizeof(*d->steps));
	return d->spine && d->where && d->steps ? 0 : error_memory(err);
}

struct callpaths *callpath_down(const struct tree *t, const uint32_t *roots, size_t n_roots,
				struct error *err)
{
	struct descent d = {.tree = t};
	int status = callpath_trie_begin(&d.trie, t, false, err) || prepare(&d, err) ? -1 : 0;
	size_t i;

	for (i = 0; !status && i < n_roots; i++)
		status = summarize(&d, roots[i], err);
	free(d.spine);
	free(d.where);
	free(d.steps);
	return callpath_trie_end(&d.trie, status, err);
}
