/* SPDX-License-Identifier: MIT */
/*
 * tree.c - builds the sample tree of functions from the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"
#include "tree/tree.h"
#include "tree/tree_fold.h"

/* ---- tree ------------------------------------------------------------------------------------ */
/*
 * The code does not recurse, because a stack may have 65,536 frames.
 */

struct building {
	const struct profile *profile;
	struct tree_fold fold;
	uint64_t *totals;  /* by node of the fold and column; freed when the order is known */
	uint16_t *columns; /* by node of the profile; NULL if there are none */
	uint32_t *place;   /* by node of the fold: its index in the tree */
	struct tree *tree;
};

static uint64_t own(const struct tree *t, const struct profile_node *n)
{
	return t->unit == TREE_HITS ? n->self_hits : n->self_weight;
}

/* A sample of a profile that is counted in samples has the weight 1. */
static double own_squares(const struct building *b, size_t node)
{
	return b->tree->unit == TREE_HITS ? (double)b->profile->nodes[node].self_hits
					  : (double)squares_get(&b->profile->squares, node);
}

/* The tree that the samples of a node of the profile belong to. */
static struct tree *tree_of(const struct building *b, size_t node)
{
	size_t column = b->columns ? b->columns[node] : 0;

	return column ? &b->tree->others[column - 1] : b->tree;
}

static size_t count_columns(const struct building *b)
{
	return 1 + b->tree->n_others;
}

/* Make the trees of the other columns, and find the column of each node. */
static int make_columns(struct building *b)
{
	const struct profile *p = b->profile;
	struct tree *t = b->tree;
	size_t i;

	if (!p->n_columns)
		return 0;
	t->others = calloc(p->n_columns, sizeof(*t->others));
	b->columns = calloc(p->n_nodes, sizeof(*b->columns));
	if (!t->others || !b->columns)
		return -1;
	for (; t->n_others + 1 < p->n_columns; t->n_others++) {
		t->others[t->n_others] = *t;
		t->others[t->n_others].others = NULL;
		t->others[t->n_others].n_others = 0;
	}
	for (i = 1; i < p->n_nodes; i++)
		b->columns[i] = profile_is_column(p, i)
					? (uint16_t)p->frames[p->nodes[i].frame].address
					: b->columns[p->nodes[i].parent];
	return 0;
}

/* Sum up all samples, including those that the filter drops. All other sums are parts of this one,
 * so only this one can overflow. */
static int sum_whole(const struct building *b, struct error *err)
{
	const struct profile *p = b->profile;
	size_t i;

	for (i = 1; i < p->n_nodes; i++) {
		struct tree *t = tree_of(b, i);

		if (__builtin_add_overflow(t->total, own(t, &p->nodes[i]), &t->total) ||
		    __builtin_add_overflow(t->hits, p->nodes[i].self_hits, &t->hits))
			return error_set(err, "the counts do not fit in 64 bits");
		t->total_squares += own_squares(b, i);
	}
	return 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int sum_totals(struct building *b)
{
	const struct profile *p = b->profile;
	const struct tree_fold *f = &b->fold;
	size_t i, k, n = count_columns(b);

	b->totals = calloc(f->n, n * sizeof(*b->totals));
	if (!b->totals)
		return -1;
	for (i = 1; i < p->n_nodes; i++)
		if (f->nodes[i] != FOLD_DROPPED)
			b->totals[f->nodes[i] * n + (b->columns ? b->columns[i] : 0)] +=
				own(b->tree, &p->nodes[i]);
	for (i = f->n; i-- > 1;)
		for (k = 0; k < n; k++)
			b->totals[f->parents[i] * n + k] += b->totals[i * n + k];
	return 0;
}

/* Siblings are sorted by total descending, then by name bytewise. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct building *building = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	size_t i, n = count_columns(building);
	const uint64_t *of_x = building->totals + x * n, *of_y = building->totals + y * n;

	for (i = 0; i < n; i++)
		if (of_x[i] != of_y[i])
			return of_x[i] < of_y[i] ? 1 : -1;
	return strings_compare(building->tree->strings, building->fold.names[x],
			       building->fold.names[y]);
}

static int find_places(struct building *b, struct error *err)
{
	struct preorder_tree in = {
		.n = b->fold.n,
		.parents = b->fold.parents,
		.compare = compare_siblings,
		.context = b,
	};

	if (sum_totals(b))
		return error_memory(err);
	b->place = preorder_places(&in, err);
	free(b->totals);
	return b->place ? 0 : -1;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int place_nodes(struct building *b)
{
	const struct tree_fold *f = &b->fold;
	const uint32_t *place = b->place;
	struct tree *t = b->tree;
	size_t i;

	t->n_nodes = f->n;
	t->nodes = calloc(f->n, sizeof(*t->nodes));
	t->inlined = f->inlined ? calloc(f->n, sizeof(*t->inlined)) : NULL;
	t->squares = b->profile->squares.n ? calloc(f->n, sizeof(*t->squares)) : NULL;
	if (!t->nodes || (f->inlined && !t->inlined) || (b->profile->squares.n && !t->squares))
		return -1;
	t->nodes[0].depth = UINT32_MAX;
	for (i = 0; i < f->n; i++) {
		struct tree_node *n = &t->nodes[place[i]];

		n->parent = place[f->parents[i]];
		n->name = f->names[i];
		if (i > 0)
			n->depth = t->nodes[n->parent].depth + 1;
		if (f->inlined)
			t->inlined[place[i]] = f->inlined[i];
	}
	return 0;
}

/* The other columns have the same nodes, still without weights. */
static int copy_nodes(struct tree *t)
{
	size_t i;

	for (i = 0; i < t->n_others; i++) {
		struct tree *other = &t->others[i];

		other->nodes = malloc(t->n_nodes * sizeof(*t->nodes));
		other->squares = t->squares ? calloc(t->n_nodes, sizeof(*t->squares)) : NULL;
		if (!other->nodes || (t->squares && !other->squares))
			return -1;
		memcpy(other->nodes, t->nodes, t->n_nodes * sizeof(*t->nodes));
		other->n_nodes = t->n_nodes;
		other->inlined = t->inlined;
	}
	return 0;
}

static void sum_nodes(struct tree *t)
{
	size_t i;

	for (i = t->n_nodes; i-- > 0;) {
		struct tree_node *n = &t->nodes[i], *parent = &t->nodes[n->parent];

		n->total += n->self;
		n->hits += n->self_hits;
		if (t->squares)
			t->squares[i].total += t->squares[i].self;
		if (n->end == 0)
			n->end = (uint32_t)i + 1;
		if (i == 0)
			break;
		parent->total += n->total;
		parent->hits += n->hits;
		if (t->squares)
			t->squares[n->parent].total += t->squares[i].total;
		if (parent->end == 0) /* the loop comes to the last child first */
			parent->end = n->end;
	}
}

static void weigh_nodes(struct building *b)
{
	const struct profile *p = b->profile;
	size_t i;

	for (i = 1; i < p->n_nodes; i++) {
		uint32_t number = b->fold.nodes[i];
		struct tree *t = tree_of(b, i);

		if (number == FOLD_DROPPED)
			continue;
		t->nodes[b->place[number]].self += own(t, &p->nodes[i]);
		t->nodes[b->place[number]].self_hits += p->nodes[i].self_hits;
		if (t->squares)
			t->squares[b->place[number]].self += own_squares(b, i);
	}
	sum_nodes(b->tree);
	for (i = 0; i < b->tree->n_others; i++)
		sum_nodes(&b->tree->others[i]);
}

static bool has_moments(const struct profile *p)
{
	return p->moments.n || (p->n_columns && p->columns[0].moments.n);
}

static int remember_places(struct building *b)
{
	const struct profile *p = b->profile;
	uint32_t *to;

	if (!has_moments(p) && !b->tree->filter)
		return 0;
	to = b->tree->of_profile = malloc(p->n_nodes * sizeof(*to));
	for (size_t i = 0; to && i < p->n_nodes; i++)
		to[i] = b->fold.nodes[i] == FOLD_DROPPED ? TREE_NO_NODE
							 : b->place[b->fold.nodes[i]];
	return to ? 0 : -1;
}

/* ---- tree ------------------------------------------------------------------------------------ */

static int build(struct building *b, struct error *err)
{
	if (make_columns(b))
		return error_memory(err);
	if (sum_whole(b, err) || find_places(b, err))
		return -1;
	if (place_nodes(b) || copy_nodes(b->tree) || remember_places(b))
		return error_memory(err);
	weigh_nodes(b);
	return 0;
}

struct tree *tree_build(const struct profile *p, struct symbols *s,
			const struct tree_options *options, struct error *err)
{
	struct building b = {.profile = p};
	int status;

	b.tree = calloc(1, sizeof(*b.tree));
	if (!b.tree) {
		error_memory(err);
		return NULL;
	}
	b.tree->strings = p->strings;
	b.tree->unit = options->unit;
	b.tree->has_places = s && symbols_has_places(s);
	b.tree->filter = filter_is_set(options->filter) ? options->filter : NULL;
	status = tree_fold_build(&b.fold, p, s, options->filter, err);
	if (!status)
		status = build(&b, err);
	b.tree->modules = b.fold.modules;
	b.tree->n_modules = b.fold.n_modules;
	b.tree->origins = b.fold.origins;
	b.tree->n_origins = b.fold.n_origins;
	b.tree->n_focused = b.fold.n_focused;
	b.fold.modules = NULL;
	b.fold.origins = NULL;
	for (size_t i = 0; i < b.tree->n_others; i++) {
		b.tree->others[i].origins = b.tree->origins;
		b.tree->others[i].n_origins = b.tree->n_origins;
	}
	tree_fold_clear(&b.fold);
	free(b.place);
	free(b.columns);
	if (!status)
		return b.tree;
	tree_free(b.tree);
	return NULL;
}

void tree_free(struct tree *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n_others; i++) {
		free(t->others[i].nodes);
		free(t->others[i].squares);
	}
	free(t->others);
	free(t->nodes);
	free(t->squares);
	free(t->inlined);
	free(t->modules);
	free(t->origins);
	free(t->of_profile);
	free(t);
}

bool tree_is_inline(const struct tree *t, size_t node)
{
	return t->inlined && t->inlined[node];
}

enum tree_origin tree_origin(const struct tree *t, uint32_t name)
{
	return name < t->n_origins ? (enum tree_origin)t->origins[name] : TREE_OF_SYSTEM;
}

unsigned tree_tells(const struct tree *t, uint32_t name, bool is_inline)
{
	enum tree_origin origin = tree_origin(t, name);

	return origin == TREE_OF_SYSTEM ? 0 : 2 * (unsigned)origin + !is_inline;
}

static bool has_module(const struct tree *t, uint32_t name)
{
	return name < t->n_modules && t->modules[name];
}

bool tree_is_function(const struct tree *t, uint32_t name)
{
	return has_module(t, name) || *strings_get(t->strings, name, NULL) != '[';
}

bool tree_is_interpreted(const struct tree *t, uint32_t name)
{
	return tree_origin(t, name) == TREE_OF_PROGRAM && t->n_modules && !has_module(t, name) &&
	       tree_is_function(t, name);
}

uint32_t tree_height(const struct tree *t)
{
	uint32_t height = 0;
	size_t i;

	for (i = 1; i < t->n_nodes; i++)
		if (t->nodes[i].depth >= height)
			height = t->nodes[i].depth + 1;
	return height;
}

/* ---- tree functions -------------------------------------------------------------------------- */
/*
 * Adds up the weights of the tree's nodes by function.
 *
 * In: struct tree. Out: an array of struct tree_function, each stack counted once.
 */

#define UNSEEN UINT32_MAX

struct sums {
	const struct tree *tree;
	struct tree_function *functions;
	size_t n;
	uint32_t *index;	/* by name: the index of its function, or UNSEEN */
	uint32_t *active;	/* by function: how often it is on the current path */
	uint32_t *path;		/* by depth: the function there */
	const uint32_t *owners; /* by node: the one that has its self; NULL: the node itself */
};

static int count_functions(struct sums *s)
{
	const struct tree *t = s->tree;
	size_t i, n_names = strings_count(t->strings);

	s->index = malloc((n_names + 1) * sizeof(*s->index));
	if (!s->index)
		return -1;
	memset(s->index, 0xff, (n_names + 1) * sizeof(*s->index));
	for (i = 1; i < t->n_nodes; i++)
		if (s->index[t->nodes[i].name] == UNSEEN)
			s->index[t->nodes[i].name] = (uint32_t)s->n++;
	s->functions = calloc(s->n + 1, sizeof(*s->functions));
	s->active = calloc(s->n + 1, sizeof(*s->active));
	s->path = malloc((tree_height(t) + 1) * sizeof(*s->path));
	for (i = 0; s->functions && i < s->n; i++)
		s->functions[i].is_inline = true;
	return s->functions && s->active && s->path ? 0 : -1;
}

/* No sum can overflow, because a function's total and self are parts of the tree's total. */
static void sum(struct sums *s)
{
	const struct tree *t = s->tree;
	uint32_t open = 0;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		uint32_t number = s->index[n->name];
		struct tree_function *f = &s->functions[number];
		uint32_t has_self = s->owners ? s->index[t->nodes[s->owners[i]].name] : number;
		struct tree_function *owner = &s->functions[has_self];

		while (open > n->depth)
			s->active[s->path[--open]]--;
		f->name = n->name;
		f->is_inline = f->is_inline && tree_is_inline(t, i);
		owner->self += n->self;
		owner->self_hits += n->self_hits;
		owner->is_innermost |= n->self > 0 || n->self_hits > 0 || n->end == i + 1;
		if (s->active[number]++ == 0) {
			f->total += n->total;
			f->hits += n->hits;
		}
		s->path[open++] = number;
	}
}

uint32_t *tree_owners(const struct tree *t, struct error *err)
{
	uint32_t *owners = malloc(t->n_nodes * sizeof(*owners));

	for (size_t i = 0; owners && i < t->n_nodes; i++) {
		uint32_t above = owners[t->nodes[i].parent];

		owners[i] = i > 0 && above > 0 &&
					    tree_origin(t, t->nodes[i].name) <
						    tree_origin(t, t->nodes[above].name)
				    ? above
				    : (uint32_t)i;
	}
	if (!owners)
		error_memory(err);
	return owners;
}

static struct tree_function *list_functions(const struct tree *t, const uint32_t *owners, size_t *n,
					    struct error *err)
{
	struct sums s = {.tree = t, .owners = owners};

	if (count_functions(&s)) {
		free(s.functions);
		s.functions = NULL;
		error_memory(err);
	} else {
		sum(&s);
	}
	free(s.index);
	free(s.active);
	free(s.path);
	*n = s.n;
	return s.functions;
}

struct tree_function *tree_functions(const struct tree *t, size_t *n, struct error *err)
{
	return list_functions(t, NULL, n, err);
}

struct tree_function *tree_functions_of_program(const struct tree *t, size_t *n, struct error *err)
{
	uint32_t *owners = tree_owners(t, err);
	struct tree_function *functions = owners ? list_functions(t, owners, n, err) : NULL;

	free(owners);
	return functions;
}
