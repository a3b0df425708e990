/* SPDX-License-Identifier: MIT */
/*
 * tree.c - builds the sample tree of functions from the profile.
 *
 * In: a profile, names of its frames. Out: struct tree in preorder.
 *
 * The code does not recurse, because a stack may have 65,536 frames.
 */
#include "tree/tree.h"

#include <stdlib.h>

#include "base/preorder.h"
#include "tree/tree_fold.h"

struct building {
	const struct profile *profile;
	struct tree_fold fold;
	uint64_t *totals; /* by node of the fold; freed when the order is known */
	uint32_t *place;  /* by node of the fold: its index in the tree */
	struct tree *tree;
};

static uint64_t own(const struct tree *t, const struct profile_node *n)
{
	return t->unit == TREE_HITS ? n->self_hits : n->self_weight;
}

/* Sum up all samples, including those that the filter drops. All other sums are parts of this one,
 * so only this one can overflow. */
static int sum_whole(const struct building *b, struct error *err)
{
	const struct profile *p = b->profile;
	struct tree *t = b->tree;
	size_t i;

	for (i = 1; i < p->n_nodes; i++)
		if (__builtin_add_overflow(t->total, own(t, &p->nodes[i]), &t->total) ||
		    __builtin_add_overflow(t->hits, p->nodes[i].self_hits, &t->hits))
			return error_set(err, "the counts do not fit in 64 bits");
	return 0;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int sum_totals(struct building *b)
{
	const struct profile *p = b->profile;
	const struct tree_fold *f = &b->fold;
	size_t i;

	b->totals = calloc(f->n, sizeof(*b->totals));
	if (!b->totals)
		return -1;
	for (i = 1; i < p->n_nodes; i++)
		if (f->nodes[i] != FOLD_DROPPED)
			b->totals[f->nodes[i]] += own(b->tree, &p->nodes[i]);
	for (i = f->n; i-- > 1;)
		b->totals[f->parents[i]] += b->totals[i];
	return 0;
}

/* Siblings are sorted by total descending, then by name bytewise. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct building *building = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (building->totals[x] != building->totals[y])
		return building->totals[x] < building->totals[y] ? 1 : -1;
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
	if (!t->nodes || (f->inlined && !t->inlined))
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

static void weigh_nodes(struct building *b)
{
	const struct profile *p = b->profile;
	struct tree *t = b->tree;
	size_t i;

	for (i = 1; i < p->n_nodes; i++) {
		uint32_t number = b->fold.nodes[i];

		if (number == FOLD_DROPPED)
			continue;
		t->nodes[b->place[number]].self += own(t, &p->nodes[i]);
		t->nodes[b->place[number]].self_hits += p->nodes[i].self_hits;
	}
	for (i = t->n_nodes; i-- > 0;) {
		struct tree_node *n = &t->nodes[i], *parent = &t->nodes[n->parent];

		n->total += n->self;
		n->hits += n->self_hits;
		if (n->end == 0)
			n->end = (uint32_t)i + 1;
		if (i == 0)
			break;
		parent->total += n->total;
		parent->hits += n->hits;
		if (parent->end == 0) /* the loop comes to the last child first */
			parent->end = n->end;
	}
}

/* ---- tree ------------------------------------------------------------------------------------ */

static int build(struct building *b, struct error *err)
{
	if (sum_whole(b, err) || find_places(b, err))
		return -1;
	if (place_nodes(b))
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
	tree_fold_clear(&b.fold);
	free(b.place);
	if (!status)
		return b.tree;
	tree_free(b.tree);
	return NULL;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->inlined);
	free(t);
}

bool tree_is_inline(const struct tree *t, size_t node)
{
	return t->inlined && t->inlined[node];
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
