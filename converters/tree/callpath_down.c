/* SPDX-License-Identifier: MIT */
/*
 * callpath_down.c - folds the tree into the call paths that begin with a root function.
 *
 * In: struct tree. Out: struct callpaths.
 *
 * Hall & Goldberg's CPP-Rec descends the tree with a canonical path, which is called the state. A
 * node with the name g notes the path state + g: the node's weight is added to that path unless a
 * node above has locked the path. Below the node, the state is state + g. If g was in the state
 * already, the state is instead cut back so that it ends with g.
 *
 *     stack   main  a     b       a             c
 *     notes   main  main  main a  main a b a    main a c
 *                   a     b       (cut: main a)
 *
 * The paths form a trie. The names of a state are distinct, and each state is a path of the trie.
 * `spine` holds the beginnings of the state by their length, and `where` holds for each name the
 * last path that ended with it. A name is in the state if that path is still on the spine. A cut
 * only lowers the length of the state. So a step takes constant time, and so does undoing it,
 * however deep the recursion is.
 */
#include "tree/callpath.h"

#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "tree/callpath_trie.h"

/* What a step has changed. It is restored when the walk leaves the node. */
struct step {
	uint32_t noted;	    /* the path, or 0 if a node above had locked it */
	uint32_t length;    /* length of the state before the step */
	uint32_t old_spine; /* spine at the length of the noted path */
	uint32_t old_where; /* where[] of the node's name */
	bool appended;
};

struct descent {
	const struct tree *tree;
	struct callpath_trie trie;
	uint32_t *spine;    /* by length: the beginning of the state */
	uint32_t *where;    /* by name: the last path that ended with it, or 0 */
	uint32_t length;    /* length of the state */
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

/* Run CPP-Rec on the subtree of node `top`, which has the name of the root function. */
static int descend(struct descent *d, uint32_t top, struct error *err)
{
	const struct tree_node *nodes = d->tree->nodes;
	uint32_t i;

	for (i = top; i < nodes[top].end; i++) {
		while (d->n_steps > nodes[i].depth - nodes[top].depth)
			leave(d);
		if (stop_check(err))
			return -1;
		if (enter(d, &nodes[i], err))
			return -1;
	}
	while (d->n_steps > 0)
		leave(d);
	return 0;
}

/* The paper's Summarize-below-root: begin at each outermost node of the root function, and skip its
 * subtree afterwards. */
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
