/* SPDX-License-Identifier: MIT */
/*
 * bottomup.c - walks the bottom-up tree without building it.
 *
 * In: struct tree. Out: nodes in preorder.
 *
 * A node of the bottom-up tree is a group of stacks whose innermost names are the same; the group
 * is a range of an array. Each stack remembers how far outwards the walk has gone on it. To go to
 * the node's children, the group is split into ranges by the name of the next frame. The ranges
 * that the walk has not visited yet are kept in an array of work. No two of them share a stack, so
 * there are never more of them than stacks.
 */
#include "tree/bottomup.h"

#include <stdlib.h>

#include "base/stop.h"

struct stack {
	uint32_t at;   /* the tree's node that the walk has reached */
	uint32_t name; /* the name of that node */
	uint32_t leaf; /* the tree's node where the stack ends */
	uint64_t weight, hits;
};

struct group {
	size_t from, n; /* in bottomup.stacks */
	uint32_t name, depth;
	uint64_t weight, hits;
};

/* What a node has without the root functions below it. */
struct part {
	uint64_t weight, hits;
	double squares;
};

struct bottomup {
	const struct tree *tree;
	struct part *parts; /* by column and node; NULL: there are no root functions */
	struct stack *stacks;
	size_t n_stacks;
	struct group *work; /* the group to be visited next is the last one */
	size_t n_work;
	struct group last; /* the group that bottomup_next returned last */
	bool is_open;	   /* the children of `last` are not in `work` yet */
};

static int compare_names(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

/* The order is reversed, because work is taken from the end of the array. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return strings_compare(context, y->name, x->name);
}

/* Make a group of the stacks that have the same name as stacks[from] and follow it. */
static struct group gather(const struct bottomup *b, size_t from, size_t end, uint32_t depth)
{
	struct group g = {.from = from, .name = b->stacks[from].name, .depth = depth};

	for (; from < end && b->stacks[from].name == g.name; from++, g.n++) {
		g.weight += b->stacks[from].weight;
		g.hits += b->stacks[from].hits;
	}
	return g;
}

/* Split stacks[from .. end - 1] into groups by name, and append the groups to the work. */
static void split(struct bottomup *b, size_t from, size_t end, uint32_t depth)
{
	size_t i = from, first = b->n_work;

	while (i < end && b->stacks[i].name == b->stacks[from].name)
		i++;
	if (i < end)
		qsort(b->stacks + from, end - from, sizeof(*b->stacks), compare_names);
	for (i = from; i < end; i += b->work[b->n_work++].n)
		b->work[b->n_work] = gather(b, i, end, depth);
	/* The comparison only reads; qsort_r has no const context. */
	if (b->n_work > first + 1)
		qsort_r(b->work + first, b->n_work - first, sizeof(*b->work), compare_groups,
			(void *)(uintptr_t)b->tree->strings);
}

/* Go one frame outwards and add the children of the last group to the work. At most one stack of
 * the group ends here, because two that end here would be the same stack. */
static void open_children(struct bottomup *b)
{
	const struct tree_node *nodes = b->tree->nodes;
	size_t i, from = b->last.from, end = from + b->last.n;

	for (i = from; i < end; i++) {
		struct stack *s = &b->stacks[i];

		s->at = nodes[s->at].parent;
		s->name = nodes[s->at].name;
		if (s->at != 0)
			continue;
		*s = b->stacks[from++];
	}
	split(b, from, end, b->last.depth + 1);
}

bool bottomup_next(struct bottomup *b, struct bottomup_node *node)
{
	const struct tree *t = b->tree;
	size_t i;

	if (stop_is_requested()) /* nothing is written any more */
		return false;
	if (b->is_open)
		open_children(b);
	b->is_open = b->n_work > 0;
	if (!b->is_open)
		return false;
	b->last = b->work[--b->n_work];
	*node = (struct bottomup_node){
		.name = b->last.name,
		.depth = b->last.depth,
		.weight = b->last.weight,
		.hits = b->last.hits,
		.is_inline = true,
	};
	for (i = b->last.from; i < b->last.from + b->last.n; i++) {
		if (t->nodes[b->stacks[i].at].parent == 0)
			node->outermost = b->stacks[i].weight;
		node->is_inline = node->is_inline && tree_is_inline(t, b->stacks[i].at);
	}
	return true;
}

uint64_t bottomup_weight_in(const struct bottomup *b, size_t column)
{
	const struct tree *t = tree_column(b->tree, column);
	const struct part *parts = b->parts ? b->parts + column * t->n_nodes : NULL;
	uint64_t weight = 0;
	size_t i;

	for (i = b->last.from; i < b->last.from + b->last.n; i++) {
		uint32_t leaf = b->stacks[i].leaf;

		weight += parts ? parts[leaf].weight : t->nodes[leaf].self;
	}
	return weight;
}

double bottomup_squares_in(const struct bottomup *b, size_t column)
{
	const struct tree *t = tree_column(b->tree, column);
	const struct part *parts = b->parts ? b->parts + column * t->n_nodes : NULL;
	double squares = 0;

	for (size_t i = b->last.from; t->squares && i < b->last.from + b->last.n; i++) {
		uint32_t leaf = b->stacks[i].leaf;

		squares += parts ? parts[leaf].squares : t->squares[leaf].self;
	}
	return squares;
}

void bottomup_skip(struct bottomup *b)
{
	b->is_open = false;
}

static bool is_stack(const struct tree *t, size_t i)
{
	size_t k;

	for (k = 0; k < t->n_others; k++)
		if (t->others[k].nodes[i].self > 0 || t->others[k].nodes[i].self_hits > 0)
			return true;
	return t->nodes[i].self > 0 || t->nodes[i].self_hits > 0 || t->nodes[i].end == i + 1;
}

static int reserve(struct bottomup *b, size_t n)
{
	b->stacks = malloc((n + 1) * sizeof(*b->stacks));
	b->work = malloc((n + 1) * sizeof(*b->work));
	return b->stacks && b->work ? 0 : -1;
}

static int gather_stacks(struct bottomup *b)
{
	const struct tree *t = b->tree;
	size_t i, n = 0;

	for (i = 1; i < t->n_nodes; i++)
		n += is_stack(t, i);
	if (reserve(b, n))
		return -1;
	for (i = 1; i < t->n_nodes; i++)
		if (is_stack(t, i))
			b->stacks[b->n_stacks++] = (struct stack){
				.at = (uint32_t)i,
				.name = t->nodes[i].name,
				.leaf = (uint32_t)i,
				.weight = t->nodes[i].self,
				.hits = t->nodes[i].self_hits,
			};
	return 0;
}

/* ---- root functions -------------------------------------------------------------------------- */

/* Move what is no root function's to the next one above it; what has none comes to node 0. */
static void cut(const struct tree *t, const bool *is_root, struct part *parts)
{
	for (size_t i = t->n_nodes; i-- > 1;) {
		const struct tree_node *node = &t->nodes[i];
		struct part *part = &parts[i], *parent = &parts[node->parent];

		part->weight += node->self;
		part->hits += node->self_hits;
		part->squares += t->squares ? t->squares[i].self : 0;
		if (is_root[node->name])
			continue;
		parent->weight += part->weight;
		parent->hits += part->hits;
		parent->squares += part->squares;
	}
}

/* Whether there is a root function below each node. Returns the number of nodes of root functions. */
static size_t find_roots(const struct tree *t, const bool *is_root, bool *has_root)
{
	size_t n = 0;

	for (size_t i = t->n_nodes; i-- > 1;) {
		bool is = is_root[t->nodes[i].name];

		has_root[t->nodes[i].parent] |= has_root[i] || is;
		n += is;
	}
	return n;
}

static bool is_rooted_stack(const struct bottomup *b, size_t i, const bool *has_root)
{
	const struct tree *t = b->tree;

	for (size_t k = 0; k <= t->n_others; k++)
		if (b->parts[k * t->n_nodes + i].weight || b->parts[k * t->n_nodes + i].hits)
			return true;
	return !has_root[i];
}

/* The stacks end at the innermost root functions. */
static int gather_roots(struct bottomup *b, const bool *is_root)
{
	const struct tree *t = b->tree;
	bool *has_root = calloc(t->n_nodes, sizeof(*has_root));

	b->parts = calloc(t->n_nodes, (1 + t->n_others) * sizeof(*b->parts));
	if (!has_root || !b->parts || reserve(b, find_roots(t, is_root, has_root))) {
		free(has_root);
		return -1;
	}
	for (size_t k = 0; k <= t->n_others; k++)
		cut(tree_column(t, k), is_root, b->parts + k * t->n_nodes);
	for (size_t i = 1; i < t->n_nodes; i++)
		if (is_root[t->nodes[i].name] && is_rooted_stack(b, i, has_root))
			b->stacks[b->n_stacks++] = (struct stack){
				.at = (uint32_t)i,
				.name = t->nodes[i].name,
				.leaf = (uint32_t)i,
				.weight = b->parts[i].weight,
				.hits = b->parts[i].hits,
			};
	free(has_root);
	return 0;
}

static int gather_all(struct bottomup *b, const uint32_t *roots, size_t n_roots)
{
	bool *is_root;
	int status;

	if (!n_roots)
		return gather_stacks(b);
	is_root = calloc(strings_count(b->tree->strings) + 1, sizeof(*is_root));
	if (!is_root)
		return -1;
	for (size_t i = 0; i < n_roots; i++)
		is_root[roots[i]] = true;
	status = gather_roots(b, is_root);
	free(is_root);
	return status;
}

struct bottomup *bottomup_new(const struct tree *t, const uint32_t *roots, size_t n_roots,
			      struct error *err)
{
	struct bottomup *b = calloc(1, sizeof(*b));

	if (b)
		b->tree = t;
	if (!b || gather_all(b, roots, n_roots)) {
		bottomup_free(b);
		error_memory(err);
		return NULL;
	}
	split(b, 0, b->n_stacks, 0);
	return b;
}

void bottomup_free(struct bottomup *b)
{
	if (!b)
		return;
	free(b->parts);
	free(b->stacks);
	free(b->work);
	free(b);
}
