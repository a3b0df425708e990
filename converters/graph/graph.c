/* SPDX-License-Identifier: MIT */
/*
 * graph.c - builds the call graph from the tree.
 *
 * In: struct tree. Out: struct graph.
 *
 * The tree is walked once. If an arc occurs several times on the current path, only the first
 * occurrence counts the stack.
 */
#include "graph/graph.h"

#include <stdlib.h>

#include "base/pair_table.h"
#include "base/stop.h"
#include "graph/propagate.h"

struct walk {
	struct graph *graph;
	uint32_t *index;	 /* by name: the index of its function */
	struct pair_table pairs; /* (caller, callee) -> arc */
	size_t room;		 /* allocated elements of graph->arcs and of active */
	uint32_t *active;	 /* by arc: how often it is on the current path */
	uint32_t *path;		 /* by depth: the arc that leads to the node there */
};

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct tree_function *x = a, *y = b;

	return strings_compare(context, x->name, y->name);
}

/* Mark the functions that stacks begin with. */
static void mark_starts(struct walk *w)
{
	const struct tree_node *nodes = w->graph->tree->nodes;
	size_t i;

	for (i = 1; i < nodes[0].end; i = nodes[i].end)
		w->graph->starts[w->index[nodes[i].name]] =
			(struct graph_start){true, nodes[i].total};
}

static int gather_functions(struct walk *w, struct error *err)
{
	struct graph *g = w->graph;
	const struct strings *strings = g->tree->strings;
	size_t i;

	g->functions = tree_functions(g->tree, &g->n_functions, err);
	if (!g->functions)
		return -1;
	/* The comparison only reads; qsort_r has no const context. */
	qsort_r(g->functions, g->n_functions, sizeof(*g->functions), compare_functions,
		(void *)(uintptr_t)strings);
	w->index = malloc((strings_count(strings) + 1) * sizeof(*w->index));
	w->path = malloc((tree_height(g->tree) + 1) * sizeof(*w->path));
	g->starts = calloc(g->n_functions + 1, sizeof(*g->starts));
	if (!w->index || !w->path || !g->starts)
		return error_memory(err);
	for (i = 0; i < g->n_functions; i++)
		w->index[g->functions[i].name] = (uint32_t)i;
	mark_starts(w);
	return 0;
}

static int make_room(struct walk *w)
{
	size_t room = w->room ? w->room * 2 : 256;
	struct graph_arc *arcs;
	uint32_t *active;

	if (w->graph->n_arcs < w->room)
		return 0;
	arcs = realloc(w->graph->arcs, room * sizeof(*arcs));
	if (arcs)
		w->graph->arcs = arcs;
	active = realloc(w->active, room * sizeof(*active));
	if (active)
		w->active = active;
	if (!arcs || !active)
		return -1;
	w->room = room;
	return 0;
}

static int find_arc(struct walk *w, uint32_t caller, uint32_t callee, uint32_t *number,
		    struct error *err)
{
	struct graph *g = w->graph;

	*number = pair_table_number(&w->pairs, caller, callee);
	if (*number == PAIR_TABLE_NONE || make_room(w))
		return error_memory(err);
	if (*number == g->n_arcs) {
		g->arcs[g->n_arcs++] = (struct graph_arc){.caller = caller, .callee = callee};
		w->active[*number] = 0;
	}
	return 0;
}

/* No sum can overflow: stacks are parts of the tree's total, and occurrences are less than the
 * total times the depth. */
static int enter(struct walk *w, const struct tree_node *n, struct error *err)
{
	const struct tree_node *parent = &w->graph->tree->nodes[n->parent];
	struct graph_arc *arc;
	uint32_t number = 0;

	if (find_arc(w, w->index[parent->name], w->index[n->name], &number, err))
		return -1;
	arc = &w->graph->arcs[number];
	if (w->active[number]++ == 0) {
		arc->stacks += n->total;
		if (arc->caller != arc->callee)
			arc->weight += n->total;
	}
	arc->occurrences += n->total;
	w->path[n->depth] = number;
	return 0;
}

static int walk_tree(struct walk *w, struct error *err)
{
	const struct tree *t = w->graph->tree;
	uint32_t open = 0; /* one past the depth of the node before */
	size_t i;

	for (i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (stop_check(err))
			return -1;
		for (; open > n->depth; open--)
			if (open > 1) /* no arc leads to an outermost function */
				w->active[w->path[open - 1]]--;
		open = n->depth + 1;
		if (n->depth > 0 && enter(w, n, err))
			return -1;
	}
	return 0;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

struct graph *graph_build(const struct tree *t, struct error *err)
{
	struct walk w = {0};
	int status;

	w.graph = calloc(1, sizeof(*w.graph));
	if (!w.graph) {
		error_memory(err);
		return NULL;
	}
	w.graph->tree = t;
	w.graph->strings = t->strings;
	w.graph->unit = t->unit;
	w.graph->total = t->total;
	w.graph->hits = t->hits;
	w.graph->has_totals = true;
	status = gather_functions(&w, err) || walk_tree(&w, err) ? -1 : 0;
	if (!status && w.graph->n_arcs > 0)
		qsort(w.graph->arcs, w.graph->n_arcs, sizeof(*w.graph->arcs), compare_arcs);
	free(w.index);
	free(w.active);
	free(w.path);
	pair_table_clear(&w.pairs);
	if (!status)
		return w.graph;
	graph_free(w.graph);
	return NULL;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	if (g->propagation)
		propagate_free(g->propagation);
	free(g->propagation);
	free(g->functions);
	free(g->starts);
	free(g->arcs);
	free(g);
}
