/* SPDX-License-Identifier: MIT */
/*
 * subtree.c - merges all subtrees of some functions into one tree.
 *
 * In: struct tree and root functions. Out: struct tree.
 */
#include "tree/subtree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pair_table.h"
#include "base/preorder.h"

struct merge {
	const struct tree *from;
	bool *is_root;	   /* by name */
	uint32_t *numbers; /* by node of `from`: its number; 0: it is not below a root function */
	struct pair_table pairs;
	/* These are by number. Numbers are given in the order of the walk. */
	uint32_t *parents, *names;
	uint64_t *totals; /* and by column */
	uint32_t *place;  /* the index in the new tree */
	size_t n, n_columns;
	struct tree *tree;
};

static int prepare(struct merge *m, const uint32_t *roots, size_t n_roots)
{
	size_t i, n = m->from->n_nodes;

	m->is_root = calloc(strings_count(m->from->strings) + 1, sizeof(*m->is_root));
	m->numbers = calloc(n, sizeof(*m->numbers));
	m->parents = calloc(n, sizeof(*m->parents));
	m->names = calloc(n, sizeof(*m->names));
	m->totals = calloc(n, m->n_columns * sizeof(*m->totals));
	m->tree = calloc(1, sizeof(*m->tree));
	if (!m->is_root || !m->numbers || !m->parents || !m->names || !m->totals || !m->tree)
		return -1;
	for (i = 0; i < n_roots; i++)
		m->is_root[roots[i]] = true;
	m->n = 1;
	return 0;
}

/* The sums cannot overflow, because they are parts of the old tree's total. */
static int merge_nodes(struct merge *m)
{
	const struct tree *t = m->from;
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *node = &t->nodes[i];
		uint32_t parent = m->numbers[node->parent], pair;

		if (parent == 0 && !m->is_root[node->name])
			continue;
		pair = pair_table_child(&m->pairs, parent, node->name);
		if (pair == PAIR_TABLE_NONE)
			return -1;
		m->numbers[i] = pair + 1;
		m->parents[pair + 1] = parent;
		m->names[pair + 1] = node->name;
		for (size_t k = 0; k < m->n_columns; k++)
			m->totals[(pair + 1) * m->n_columns + k] +=
				tree_column(t, k)->nodes[i].total;
	}
	m->n += m->pairs.count;
	return 0;
}

/* Siblings are sorted by total descending, of the first column that tells them apart, then by name bytewise. */
static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct merge *m = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (size_t k = 0; k < m->n_columns; k++) {
		uint64_t of_x = m->totals[x * m->n_columns + k];
		uint64_t of_y = m->totals[y * m->n_columns + k];

		if (of_x != of_y)
			return of_x < of_y ? 1 : -1;
	}
	return strings_compare(m->from->strings, m->names[x], m->names[y]);
}

static int find_places(struct merge *m, struct error *err)
{
	struct preorder_tree in = {
		.n = m->n,
		.parents = m->parents,
		.compare = compare_siblings,
		.context = m,
	};

	m->place = preorder_places(&in, err);
	return m->place ? 0 : -1;
}

static int place_nodes(struct merge *m)
{
	struct tree *t = m->tree;
	size_t i;

	t->n_nodes = m->n;
	t->nodes = calloc(m->n, sizeof(*t->nodes));
	t->inlined = m->from->inlined ? calloc(m->n, sizeof(*t->inlined)) : NULL;
	if (!t->nodes || (m->from->inlined && !t->inlined))
		return -1;
	t->nodes[0] = (struct tree_node){.depth = UINT32_MAX, .name = STRINGS_NONE};
	for (i = 1; i < m->n; i++) {
		struct tree_node *node = &t->nodes[m->place[i]];

		node->parent = m->place[m->parents[i]];
		node->name = m->names[i];
		node->depth = t->nodes[node->parent].depth + 1;
		if (t->inlined)
			t->inlined[m->place[i]] = true;
	}
	return 0;
}

/* Give the other columns the same nodes, without weights as yet. */
static int place_columns(struct merge *m)
{
	struct tree *t = m->tree;

	t->others = calloc(m->n_columns, sizeof(*t->others));
	if (!t->others)
		return -1;
	for (; t->n_others + 1 < m->n_columns; t->n_others++) {
		struct tree *other = &t->others[t->n_others];

		*other = *t;
		other->others = NULL;
		other->n_others = 0;
		other->nodes = malloc(t->n_nodes * sizeof(*t->nodes));
		if (!other->nodes)
			return -1;
		memcpy(other->nodes, t->nodes, t->n_nodes * sizeof(*t->nodes));
	}
	return 0;
}

/* Add up the nodes below each node of a column. */
static void sum_nodes(struct tree *t)
{
	for (size_t i = t->n_nodes; i-- > 0;) {
		struct tree_node *node = &t->nodes[i], *parent = &t->nodes[node->parent];

		node->total += node->self;
		node->hits += node->self_hits;
		if (t->squares)
			t->squares[i].total += t->squares[i].self;
		if (node->end == 0)
			node->end = (uint32_t)i + 1;
		if (i == 0)
			break;
		parent->total += node->total;
		parent->hits += node->hits;
		if (t->squares)
			t->squares[node->parent].total += t->squares[i].total;
		if (parent->end == 0) /* the loop comes to the last child first */
			parent->end = node->end;
	}
}

static int weigh_nodes(struct merge *m, const struct tree *from, struct tree *to)
{
	to->strings = from->strings;
	to->unit = from->unit;
	to->filter = from->filter;
	to->total = from->total;
	to->hits = from->hits;
	to->total_squares = from->total_squares;
	to->squares = from->squares ? calloc(m->n, sizeof(*to->squares)) : NULL;
	if (from->squares && !to->squares)
		return -1;
	for (size_t i = 1; i < from->n_nodes; i++) {
		uint32_t place = m->place[m->numbers[i]];

		if (place == 0)
			continue;
		to->nodes[place].self += from->nodes[i].self;
		to->nodes[place].self_hits += from->nodes[i].self_hits;
		if (to->squares)
			to->squares[place].self += from->squares[i].self;
	}
	sum_nodes(to);
	return 0;
}

/* A node is inlined if all are that it stands for. */
static void inline_nodes(struct merge *m)
{
	struct tree *t = m->tree;

	for (size_t i = 1; t->inlined && i < m->from->n_nodes; i++) {
		uint32_t to = m->place[m->numbers[i]];

		t->inlined[to] = t->inlined[to] && m->from->inlined[i];
	}
}

static int build(struct merge *m, const uint32_t *roots, size_t n_roots, struct error *err)
{
	if (prepare(m, roots, n_roots) || merge_nodes(m))
		return error_memory(err);
	if (find_places(m, err))
		return -1;
	if (place_nodes(m) || place_columns(m))
		return error_memory(err);
	inline_nodes(m);
	for (size_t k = 0; k < m->n_columns; k++)
		if (weigh_nodes(m, tree_column(m->from, k), k ? &m->tree->others[k - 1] : m->tree))
			return error_memory(err);
	return 0;
}

struct tree *subtree_build(const struct tree *t, const uint32_t *roots, size_t n_roots,
			   struct error *err)
{
	struct merge m = {.from = t, .n_columns = 1 + t->n_others};
	int status = build(&m, roots, n_roots, err);

	free(m.is_root);
	free(m.numbers);
	free(m.parents);
	free(m.names);
	free(m.totals);
	free(m.place);
	pair_table_clear(&m.pairs);
	if (!status)
		return m.tree;
	tree_free(m.tree);
	return NULL;
}
