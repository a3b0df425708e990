/* SPDX-License-Identifier: MIT */
/*
 * callpath_up.c - folds the tree into the call paths that end with a root function.
 *
 * In: struct tree. Out: struct callpaths.
 *
 * A frame of the root function R notes one path for each function f above it. The path consists of
 * the state that CPP-Rec has there if it begins at the outermost f, and R. That state is the stack
 * without its loops: first f, then the function below the last frame of f, then the function below
 * the last frame of that one, and so on up to R's caller. This chain of next functions is the same
 * wherever it begins, so the states of all f are the branches of one tree, whose root is R's
 * caller:
 *
 *     stack   main  a     b     a     c     R        next   main: a   b: a   a: c
 *     notes   main a c R, a c R, b a c R, c R, R
 *
 * The walk keeps the functions above the current frame in the order of their last frames, the
 * innermost first. In that order next[f] comes before f. So the path from f extends the path from
 * next[f], which exists already, by one step in the trie of reversed paths. Undoing a step of the
 * walk takes constant time.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/stop.h"
#include "tree/callpath_trie.h"

/* What a step has changed. It is restored when the walk leaves the node. */
struct step {
	uint32_t name;
	uint32_t old_next; /* next[] of the caller */
	uint32_t newer;	   /* the name before this one in the order, or NOWHERE */
	size_t n_held;	   /* number of locks that nodes above hold */
};

#define NOWHERE UINT32_MAX

struct ascent {
	const struct tree *tree;
	struct callpath_trie trie;
	uint64_t longest;	 /* the largest number of names in a path */
	bool *is_root;		 /* by name */
	uint32_t *next;		 /* by name: the function below its last frame */
	uint32_t *newer, *older; /* by name: a ring in the order above; `end` closes it */
	uint32_t end;		 /* not a name, but one past the last name */
	uint32_t *path; /* by name: the path from it to the current frame; 0 if that is too long */
	uint32_t *held; /* the paths that the current stack has locked */
	size_t n_held, size;
	struct step *steps; /* by depth */
	uint32_t n_steps;
};

static bool is_longest(const struct ascent *a, uint32_t path)
{
	return path == 0 || a->trie.paths->paths[path].length >= a->longest;
}

static int note(struct ascent *a, uint32_t path, const struct tree_node *n, struct error *err)
{
	if (!callpath_trie_note(&a->trie, path, n))
		return 0;
	if (!array_reserve(&a->held, &a->size, a->n_held + 1, sizeof(*a->held)))
		return error_memory(err);
	a->held[a->n_held++] = path;
	return 0;
}

/* Note the paths from all functions above node n to the root function at n. */
static int note_paths(struct ascent *a, const struct tree_node *n, struct error *err)
{
	uint32_t name, root = 0;

	if (callpath_trie_extend(&a->trie, 0, n->name, &root, err) || note(a, root, n, err))
		return -1;
	for (name = a->older[a->end]; name != a->end; name = a->older[name]) {
		uint32_t below = name == a->older[a->end] ? root : a->path[a->next[name]];

		a->path[name] = 0;
		if (is_longest(a, below)) {
			a->trie.paths->is_cut = true;
			continue;
		}
		if (callpath_trie_extend(&a->trie, below, name, &a->path[name], err) ||
		    note(a, a->path[name], n, err))
			return -1;
	}
	return 0;
}

static void take_out(struct ascent *a, uint32_t name)
{
	a->older[a->newer[name]] = a->older[name];
	a->newer[a->older[name]] = a->newer[name];
}

static void put_behind(struct ascent *a, uint32_t newer, uint32_t name)
{
	a->newer[name] = newer;
	a->older[name] = a->older[newer];
	a->newer[a->older[name]] = name;
	a->older[newer] = name;
}

static int enter(struct ascent *a, const struct tree_node *n, struct error *err)
{
	struct step *step = &a->steps[a->n_steps];
	uint32_t caller = a->older[a->end]; /* `end` if there is none */

	*step = (struct step){n->name, a->next[caller], a->newer[n->name], a->n_held};
	if (a->is_root[n->name] && note_paths(a, n, err))
		return -1;
	a->next[caller] = n->name;
	if (step->newer != NOWHERE)
		take_out(a, n->name);
	put_behind(a, a->end, n->name);
	a->n_steps++;
	return 0;
}

static void leave(struct ascent *a)
{
	const struct step *step = &a->steps[--a->n_steps];

	take_out(a, step->name);
	if (step->newer != NOWHERE)
		put_behind(a, step->newer, step->name);
	else
		a->newer[step->name] = NOWHERE;
	a->next[a->older[a->end]] = step->old_next;
	while (a->n_held > step->n_held)
		callpath_trie_unlock(&a->trie, a->held[--a->n_held]);
}

static int walk(struct ascent *a, struct error *err)
{
	const struct tree *t = a->tree;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		while (a->n_steps > t->nodes[i].depth)
			leave(a);
		if (stop_check(err))
			return -1;
		if (enter(a, &t->nodes[i], err))
			return -1;
	}
	while (a->n_steps > 0)
		leave(a);
	return 0;
}

static int prepare(struct ascent *a, const uint32_t *roots, size_t n_roots, struct error *err)
{
	size_t i, n_names = strings_count(a->tree->strings);

	a->end = (uint32_t)n_names;
	a->is_root = calloc(n_names + 1, sizeof(*a->is_root));
	a->next = calloc(n_names + 1, sizeof(*a->next));
	a->newer = malloc((n_names + 1) * sizeof(*a->newer));
	a->older = malloc((n_names + 1) * sizeof(*a->older));
	a->path = calloc(n_names + 1, sizeof(*a->path));
	a->steps = calloc((size_t)tree_height(a->tree) + 1, sizeof(*a->steps));
	if (!a->is_root || !a->next || !a->newer || !a->older || !a->path || !a->steps)
		return error_memory(err);
	for (i = 0; i < n_names; i++)
		a->newer[i] = NOWHERE;
	a->newer[a->end] = a->older[a->end] = a->end;
	for (i = 0; i < n_roots; i++)
		a->is_root[roots[i]] = true;
	return 0;
}

static uint32_t most_paths(const struct tree *t, uint32_t least)
{
	uint64_t most = (uint64_t)CALLPATH_UP_RATE * t->n_nodes;

	if (most > UINT32_MAX)
		return UINT32_MAX;
	return most > least ? (uint32_t)most : least;
}

struct callpaths *callpath_up(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      const struct callpath_limits *limits, struct error *err)
{
	struct ascent a = {.tree = t, .longest = limits->longest ? limits->longest : UINT64_MAX};
	int status = callpath_trie_begin(&a.trie, t, true, err);

	a.trie.limit = most_paths(t, limits->most);
	if (status || prepare(&a, roots, n_roots, err) || walk(&a, err))
		status = -1;

	free(a.is_root);
	free(a.next);
	free(a.newer);
	free(a.older);
	free(a.path);
	free(a.held);
	free(a.steps);
	return callpath_trie_end(&a.trie, status, err);
}
