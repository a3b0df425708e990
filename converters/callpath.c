/* SPDX-License-Identifier: MIT */
/*
 * callpath.c - folds the tree into the call paths below a root function.
 *
 * Shape room. In: struct tree. Out: struct callpaths.
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
#include "callpath.h"

#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "pairs.h"

/* What a step changed, to be put back when the walk leaves the node. */
struct step {
	uint32_t noted;	    /* the path, or 0 if a node above held its lock */
	uint32_t length;    /* of the state before */
	uint32_t old_spine; /* what stood at the noted path's length */
	uint32_t old_where; /* what stood at its name */
	bool appended;
};

struct descent {
	struct callpaths *result;
	struct pairs pairs; /* (state, name) -> path - 1 */
	size_t room;
	bool *locked;	    /* by path */
	uint32_t *spine;    /* by length */
	uint32_t *where;    /* by name; 0: nowhere */
	uint32_t length;    /* of the state */
	struct step *steps; /* by depth below the root function */
	uint32_t n_steps;
};

static int make_room(struct descent *d)
{
	size_t room = d->room ? d->room * 2 : 256;
	struct callpath *paths;
	bool *locked;

	if (d->result->n_paths < d->room)
		return 0;
	paths = realloc(d->result->paths, room * sizeof(*paths));
	if (paths)
		d->result->paths = paths;
	locked = realloc(d->locked, room * sizeof(*locked));
	if (locked)
		d->locked = locked;
	if (!paths || !locked)
		return -1;
	d->room = room;
	return 0;
}

/* The path state + name. */
static int extend(struct descent *d, uint32_t state, uint32_t name, uint32_t *path)
{
	struct callpaths *c = d->result;
	uint32_t pair = pairs_number(&d->pairs, state, name);

	if (pair >= PAIRS_NONE - 1 || make_room(d))
		return -1;
	*path = pair + 1;
	if (*path == c->n_paths) {
		d->locked[c->n_paths] = false;
		c->paths[c->n_paths++] = (struct callpath){
			.parent = state,
			.name = name,
			.length = c->paths[state].length + 1,
		};
	}
	return 0;
}

static bool in_state(const struct descent *d, uint32_t path)
{
	uint32_t length = d->result->paths[path].length;

	return path != 0 && length <= d->length && d->spine[length] == path;
}

/* Credit the path unless it is locked; the step remembers who holds the lock. */
static void note(struct descent *d, uint32_t path, const struct tree_node *n, struct step *step)
{
	step->noted = 0;
	if (d->locked[path])
		return;
	d->locked[path] = true;
	d->result->paths[path].weight += n->total;
	d->result->paths[path].hits += n->hits;
	step->noted = path;
}

static int enter(struct descent *d, const struct tree_node *n)
{
	struct step *step = &d->steps[d->n_steps];
	uint32_t path, earlier = d->where[n->name];

	if (extend(d, d->spine[d->length], n->name, &path))
		return -1;
	note(d, path, n, step);
	step->length = d->length;
	step->appended = !in_state(d, earlier);
	if (step->appended) {
		d->length++;
		step->old_spine = d->spine[d->length];
		step->old_where = earlier;
		d->spine[d->length] = path;
		d->where[n->name] = path;
	} else {
		d->length = d->result->paths[earlier].length;
	}
	d->n_steps++;
	return 0;
}

static void leave(struct descent *d)
{
	const struct step *step = &d->steps[--d->n_steps];

	if (step->noted)
		d->locked[step->noted] = false;
	if (step->appended) {
		uint32_t path = d->spine[d->length];

		d->where[d->result->paths[path].name] = step->old_where;
		d->spine[d->length] = step->old_spine;
	}
	d->length = step->length;
}

/* CPP-Rec on the subtree of node `top`, which has the root function's name. */
static int descend(struct descent *d, uint32_t top)
{
	const struct tree_node *nodes = d->result->tree->nodes;
	uint32_t i;

	for (i = top; i < nodes[top].end; i++) {
		while (d->n_steps > nodes[i].depth - nodes[top].depth)
			leave(d);
		if (enter(d, &nodes[i]))
			return -1;
	}
	while (d->n_steps > 0)
		leave(d);
	return 0;
}

/* Summarize-below-root: the outermost root function takes its whole subtree. */
static int summarize(struct descent *d, uint32_t root)
{
	const struct tree *t = d->result->tree;
	uint32_t i = 1;

	while (i < t->n_nodes) {
		if (t->nodes[i].name != root) {
			i++;
			continue;
		}
		if (descend(d, i))
			return -1;
		i = t->nodes[i].end;
	}
	return 0;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct callpaths *c = context;

	return strings_compare(c->tree->strings, c->paths[*(const uint32_t *)a].name,
			       c->paths[*(const uint32_t *)b].name);
}

struct ranking {
	const struct callpath *paths;
	const uint32_t *place;
};

static int compare_paths(const void *a, const void *b, void *context)
{
	const struct ranking *r = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct callpath *x = &r->paths[i], *y = &r->paths[k];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (r->place[i] > r->place[k]) - (r->place[i] < r->place[k]);
}

/* Paths of equal length compare as their places in the trie whose siblings are sorted by name. */
static int sort_paths(struct callpaths *c, struct error *err)
{
	struct order_tree in = {
		.n = c->n_paths,
		.parents = &c->paths[0].parent,
		.stride = sizeof(c->paths[0]),
		.compare = compare_names,
		.context = c,
	};
	struct order order;
	struct ranking ranking = {.paths = c->paths};
	size_t i;

	c->order = malloc(c->n_paths * sizeof(*c->order));
	if (!c->order)
		return error_memory(err);
	if (order_preorder(&in, &order, err))
		return -1;
	for (i = 1; i < c->n_paths; i++)
		c->order[i - 1] = (uint32_t)i;
	ranking.place = order.place;
	qsort_r(c->order, c->n_paths - 1, sizeof(*c->order), compare_paths, &ranking);
	order_free(&order);
	return 0;
}

static int prepare(struct descent *d)
{
	uint32_t height = tree_height(d->result->tree);

	d->spine = calloc(height + 2, sizeof(*d->spine));
	d->where = calloc(strings_count(d->result->tree->strings) + 1, sizeof(*d->where));
	d->steps = calloc(height + 1, sizeof(*d->steps));
	if (!d->spine || !d->where || !d->steps || make_room(d))
		return -1;
	d->result->paths[0] = (struct callpath){.name = STRINGS_NONE};
	d->locked[0] = false;
	d->result->n_paths = 1;
	return 0;
}

struct callpaths *callpath_down(const struct tree *t, uint32_t root, struct error *err)
{
	struct descent d = {0};
	int status;

	d.result = calloc(1, sizeof(*d.result));
	if (!d.result) {
		error_memory(err);
		return NULL;
	}
	d.result->tree = t;
	status = prepare(&d) || summarize(&d, root) ? error_memory(err) : 0;
	free(d.locked);
	free(d.spine);
	free(d.where);
	free(d.steps);
	pairs_clear(&d.pairs);
	if (status || sort_paths(d.result, err)) {
		callpath_free(d.result);
		return NULL;
	}
	return d.result;
}

void callpath_free(struct callpaths *c)
{
	if (!c)
		return;
	free(c->paths);
	free(c->order);
	free(c);
}

void callpath_names(const struct callpaths *c, uint32_t path, uint32_t *names)
{
	for (; path != 0; path = c->paths[path].parent)
		names[c->paths[path].length - 1] = c->paths[path].name;
}
