/* SPDX-License-Identifier: MIT */
/*
 * call_counts.c - how often functions were called, and by whom.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "graph/call_counts.h"

/* ---- counted tree ---------------------------------------------------------------------------- */

struct tree *counted_tree_build(const struct profile *p, struct symbols *s, struct filter *filter,
				struct error *err)
{
	const struct profile calls = profile_of_calls(p);
	struct tree *t = tree_build(
		&calls, s, &(struct tree_options){.unit = TREE_GTICKS, .filter = filter}, err);

	/* Functions at several addresses may have one name. */
	for (size_t i = 1; t && i < t->n_nodes; i++) {
		struct tree_node *n = &t->nodes[i];

		if (!n->parent || t->nodes[n->parent].name != n->name)
			continue;
		n->self_hits += n->self;
		n->self = 0;
	}
	return t;
}

/* Whether the node stands for what was left out of a path. */
static bool is_cut(const struct tree *t, size_t node)
{
	const struct tree_node *n = &t->nodes[node];

	return node && !n->depth &&
	       strcmp(strings_get(t->strings, n->name, NULL), PROFILE_CUT) == 0;
}

bool counted_tree_has_runs(const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];

		if (n->depth > 1 && caller->name == n->name &&
		    t->nodes[caller->parent].name == n->name)
			return true;
	}
	return false;
}

/* ---- call counts ----------------------------------------------------------------------------- */

struct adding {
	struct call_counts *to;
	struct pair_table pairs; /* (caller, callee) -> arc */
	size_t room;
};

static int add(struct adding *a, uint32_t caller, uint32_t callee, uint64_t calls)
{
	struct call_counts *c = a->to;
	uint32_t number;

	if (!calls)
		return 0;
	number = pair_table_number(&a->pairs, caller, callee);
	if (number == PAIR_TABLE_NONE ||
	    !array_reserve(&c->arcs, &a->room, c->n_arcs + 1, sizeof(*c->arcs)))
		return -1;
	if (number == c->n_arcs)
		c->arcs[c->n_arcs++] = (struct call_count){caller, callee, 0};
	c->arcs[number].calls += calls; /* a part of all calls, which fit */
	c->calls[callee] += calls;
	if (caller == callee)
		c->own[callee] += calls;
	return 0;
}

static int add_all(struct adding *a, const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++) {
		const struct tree_node *n = &t->nodes[i];
		bool has_caller = n->parent && !is_cut(t, n->parent);

		if (is_cut(t, i))
			continue;
		/* A caller whose own calls nobody has counted stands there without any. */
		a->to->is_known[n->name] |=
			n->self || n->self_hits || !n->parent || !is_cut(t, n->parent);
		if (add(a, has_caller ? t->nodes[n->parent].name : STRINGS_NONE, n->name,
			n->self) ||
		    add(a, n->name, n->name, n->self_hits))
			return -1;
	}
	return 0;
}

static int compare_arcs(const void *a, const void *b)
{
	const struct call_count *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static int begin(struct call_counts *c, size_t n)
{
	*c = (struct call_counts){
		.calls = calloc(n + 1, sizeof(*c->calls)),
		.own = calloc(n + 1, sizeof(*c->own)),
		.is_known = calloc(n + 1, sizeof(*c->is_known)),
		.n_names = n,
	};
	return c->calls && c->own && c->is_known ? 0 : -1;
}

int call_counts_build(struct call_counts *c, const struct tree *calls, struct error *err)
{
	struct adding a = {.to = c};
	int status = begin(c, strings_count(calls->strings));

	if (!status)
		status = add_all(&a, calls);
	pair_table_clear(&a.pairs);
	if (status)
		return error_memory(err);
	if (c->n_arcs)
		qsort(c->arcs, c->n_arcs, sizeof(*c->arcs), compare_arcs);
	return 0;
}

static void add_capped(uint64_t *sum, uint64_t calls)
{
	if (__builtin_add_overflow(*sum, calls, sum))
		*sum = UINT64_MAX;
}

int call_counts_of_graph(struct call_counts *c, const struct graph *g, struct error *err)
{
	if (begin(c, strings_count(g->strings)))
		return error_memory(err);
	for (size_t i = 0; i < g->n_functions; i++) {
		c->is_known[g->functions[i].name] = true;
		add_capped(&c->calls[g->functions[i].name], g->starts[i].calls);
	}
	for (size_t i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		add_capped(&c->calls[g->functions[a->callee].name], a->calls);
		if (a->caller == a->callee)
			add_capped(&c->own[g->functions[a->callee].name], a->calls);
	}
	return 0;
}

void call_counts_free(struct call_counts *c)
{
	free(c->arcs);
	free(c->calls);
	free(c->own);
	free(c->is_known);
	*c = (struct call_counts){0};
}

bool call_counts_find(const struct call_counts *c, uint32_t caller, uint32_t callee,
		      uint64_t *calls)
{
	const struct call_count wanted = {caller, callee, 0};
	const struct call_count *found =
		c->n_arcs ? bsearch(&wanted, c->arcs, c->n_arcs, sizeof(wanted), compare_arcs)
			  : NULL;

	*calls = found ? found->calls : 0;
	return found;
}

int call_counts_mark(struct graph *g, const struct tree *calls, struct error *err)
{
	struct call_counts c;
	int status = call_counts_build(&c, calls, err);

	for (size_t i = 0; !status && i < g->n_functions; i++) {
		uint32_t name = g->functions[i].name;

		g->starts[i].calls = name < c.n_names ? c.calls[name] : 0;
	}
	for (size_t i = 0; !status && i < g->n_arcs; i++) {
		struct graph_arc *a = &g->arcs[i];

		a->is_counted = call_counts_find(&c, g->functions[a->caller].name,
						 g->functions[a->callee].name, &a->calls);
		g->starts[a->callee].calls -= a->calls; /* a part of them */
	}
	call_counts_free(&c);
	return status;
}

/* ---- a graph with calls ---- */

static int compare_functions(const void *a, const void *b, void *strings)
{
	const struct tree_function *x = a, *y = b;

	return strings_compare(strings, x->name, y->name);
}

/* The functions of both. place[] becomes where that of a name is, plus 1. */
static int unite_functions(struct graph *to, const struct call_counts *c, const struct graph *g,
			   uint32_t *place)
{
	size_t n = g->n_functions;

	for (size_t i = 0; i < g->n_functions; i++)
		place[g->functions[i].name] = 1;
	for (size_t i = 0; i < c->n_names; i++)
		if (c->is_known[i] && !place[i])
			place[i] = 2;
	for (size_t i = 0; i < c->n_arcs; i++)
		if (c->arcs[i].caller != STRINGS_NONE && !place[c->arcs[i].caller])
			place[c->arcs[i].caller] = 2;
	for (size_t i = 0; i < c->n_names; i++)
		n += place[i] == 2;
	to->functions = calloc(n + 1, sizeof(*to->functions));
	to->starts = calloc(n + 1, sizeof(*to->starts));
	if (!to->functions || !to->starts)
		return -1;
	memcpy(to->functions, g->functions, g->n_functions * sizeof(*g->functions));
	to->n_functions = g->n_functions;
	for (size_t i = 0; i < c->n_names; i++)
		if (place[i] == 2)
			to->functions[to->n_functions++].name = (uint32_t)i;
	qsort_r(to->functions, n, sizeof(*to->functions), compare_functions,
		(void *)(uintptr_t)g->strings);
	for (size_t i = 0; i < n; i++)
		place[to->functions[i].name] = (uint32_t)i + 1;
	for (size_t i = 0; i < g->n_functions; i++)
		to->starts[place[g->functions[i].name] - 1] = (struct graph_start){
			.is_start = g->starts[i].is_start,
			.weight = g->starts[i].weight,
		};
	return 0;
}

static int compare_graph_arcs(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* The arcs of both. Those of the graph come first, in order, until they are sorted. */
static int unite_arcs(struct graph *to, const struct call_counts *c, const struct graph *g,
		      const uint32_t *place)
{
	to->arcs = calloc(g->n_arcs + c->n_arcs + 1, sizeof(*to->arcs));
	if (!to->arcs)
		return -1;
	for (size_t i = 0; i < g->n_arcs; i++) {
		to->arcs[i] = g->arcs[i];
		to->arcs[i].caller = place[g->functions[g->arcs[i].caller].name] - 1;
		to->arcs[i].callee = place[g->functions[g->arcs[i].callee].name] - 1;
	}
	to->n_arcs = g->n_arcs;
	for (size_t i = 0; i < c->n_arcs; i++) {
		const struct call_count *a = &c->arcs[i];
		struct graph_arc arc = {.calls = a->calls, .is_counted = true}, *found;

		arc.callee = place[a->callee] - 1;
		if (a->caller == STRINGS_NONE) {
			to->starts[arc.callee].calls = a->calls;
			continue;
		}
		arc.caller = place[a->caller] - 1;
		found = g->n_arcs ? bsearch(&arc, to->arcs, g->n_arcs, sizeof(arc),
					    compare_graph_arcs)
				  : NULL;
		if (!found) {
			to->arcs[to->n_arcs++] = arc;
			continue;
		}
		found->calls = arc.calls;
		found->is_counted = true;
	}
	qsort(to->arcs, to->n_arcs, sizeof(*to->arcs), compare_graph_arcs);
	return 0;
}

struct graph *call_counts_graph(const struct call_counts *c, const struct graph *g,
				struct error *err)
{
	struct graph *to = calloc(1, sizeof(*to));
	uint32_t *place = calloc(strings_count(g->strings) + 1, sizeof(*place));
	int status = to && place ? 0 : -1;

	if (!status) {
		*to = *g;
		to->functions = NULL;
		to->starts = NULL;
		to->arcs = NULL;
		to->propagation = NULL;
		to->has_calls = true;
		status = unite_functions(to, c, g, place) || unite_arcs(to, c, g, place);
	}
	free(place);
	if (!status)
		return to;
	graph_free(to);
	error_memory(err);
	return NULL;
}
