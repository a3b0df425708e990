/* SPDX-License-Identifier: MIT */
/*
 * graph.c - builds the call graph.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/graphs.h"
#include "base/hash.h"
#include "base/stop.h"
#include "graph/graph.h"
#include "graph/propagate.h"

/* ---- graph ----------------------------------------------------------------------------------- */
/*
 * The tree is walked once. If an arc occurs several times on the current path, only the first
 * occurrence counts the stack.
 */

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
			(struct graph_start){.is_start = true, .weight = nodes[i].total};
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

/* ---- graph from calls ------------------------------------------------------------------------ */
/*
 * Builds the call graph of calls that come without stacks.
 *
 * In: struct given_calls. Out: struct graph with its functions and arcs in order.
 */

struct making {
	const struct given_calls *calls;
	struct graph *graph;
	uint32_t *order;  /* by index in the graph: the function's index in calls */
	uint32_t *places; /* by index in calls: the function's index in the graph */
};

/* ---- functions and arcs ---------------------------------------------------------------------- */

/* What qsort_r's comparison needs. */
struct naming {
	const struct strings *strings;
	const struct given_calls_function *functions;
};

static int compare_costs(const void *a, const void *b, void *context)
{
	const struct naming *n = context;
	const uint32_t *x = a, *y = b;
	int order = strings_compare(n->strings, n->functions[*x].name, n->functions[*y].name);

	return order ? order : (*x > *y) - (*x < *y);
}

static int order_functions(struct making *m, struct error *err)
{
	const struct given_calls *c = m->calls;
	struct naming naming = {m->graph->strings, c->functions};
	size_t n = c->n_functions;

	m->order = calloc(n + 1, sizeof(*m->order));
	m->places = calloc(n + 1, sizeof(*m->places));
	m->graph->functions = calloc(n + 1, sizeof(*m->graph->functions));
	m->graph->starts = calloc(n + 1, sizeof(*m->graph->starts));
	m->graph->arcs = calloc(c->n_arcs + 1, sizeof(*m->graph->arcs));
	if (!m->order || !m->places || !m->graph->functions || !m->graph->starts || !m->graph->arcs)
		return error_memory(err);
	for (size_t i = 0; i < n; i++)
		m->order[i] = (uint32_t)i;
	qsort_r(m->order, n, sizeof(*m->order), compare_costs, &naming);
	for (size_t i = 0; i < n; i++)
		m->places[m->order[i]] = (uint32_t)i;
	m->graph->n_functions = n;
	return 0;
}

/* Limit a sum to the total, because the sums of a file may contradict each other: after a longjmp,
 * or if the file is forged. */
static uint64_t at_most(uint64_t weight, uint64_t total)
{
	return weight < total ? weight : total;
}

/* The profile does not say how many samples a function's total has. So estimate them from the share
 * of the function's total in the whole. */
static void estimate_hits(const struct graph *g, struct tree_function *f)
{
	if (g->total)
		f->hits = (uint64_t)(((unsigned __int128)f->total * g->hits + g->total / 2) /
				     g->total);
}

static void copy_functions(struct making *m)
{
	struct graph *g = m->graph;

	for (size_t i = 0; i < g->n_functions; i++) {
		const struct given_calls_function *f = &m->calls->functions[m->order[i]];

		g->functions[i] = (struct tree_function){
			.name = f->name,
			.is_innermost = f->self_weight || f->self_hits,
			.self = g->unit == TREE_HITS ? f->self_hits : f->self_weight,
			.total = g->has_totals ? at_most(f->inclusive_weight, g->total) : 0,
			.self_hits = f->self_hits,
		};
		if (g->has_totals)
			estimate_hits(g, &g->functions[i]);
	}
}

static int compare_made_arcs(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static void copy_arcs(struct making *m)
{
	struct graph *g = m->graph;

	for (; g->n_arcs < m->calls->n_arcs; g->n_arcs++) {
		const struct given_calls_arc *arc = &m->calls->arcs[g->n_arcs];

		g->arcs[g->n_arcs] = (struct graph_arc){
			.caller = m->places[arc->caller],
			.callee = m->places[arc->callee],
			.weight = arc->caller == arc->callee ? 0 : arc->weight,
			.stacks = arc->weight,
			.occurrences = g->has_weights ? arc->weight : arc->count,
			.calls = arc->count,
			.is_counted = true,
		};
	}
	qsort(g->arcs, g->n_arcs, sizeof(*g->arcs), compare_made_arcs);
}

/* ---- calls from outside ---------------------------------------------------------------------- */

/*
 * If the inclusive weight of a function is more than that of all calls to it, the difference is due
 * to calls from outside: a thread began with the function, or a signal handler. If only numbers of
 * calls are known, only functions without callers are known to be called from outside.
 */
static int mark_call_starts(struct making *m, struct error *err)
{
	struct graph *g = m->graph;
	uint64_t *into = calloc(g->n_functions + 1, sizeof(*into));
	bool *is_called = calloc(g->n_functions + 1, sizeof(*is_called));

	for (size_t i = 0; into && is_called && i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];

		if (arc->caller == arc->callee)
			continue;
		is_called[arc->callee] = true;
		if (__builtin_add_overflow(into[arc->callee], arc->weight, &into[arc->callee]))
			into[arc->callee] = UINT64_MAX; /* at least the inclusive weight */
	}
	for (size_t i = 0; into && is_called && i < g->n_functions; i++) {
		uint64_t inclusive =
			g->has_weights ? m->calls->functions[m->order[i]].inclusive_weight : 0;

		if (inclusive > into[i])
			g->starts[i].weight = inclusive - into[i];
		g->starts[i].calls = m->calls->functions[m->order[i]].calls;
		g->starts[i].is_start = inclusive > into[i] || !is_called[i];
	}
	free(into);
	free(is_called);
	return into && is_called ? 0 : error_memory(err);
}

/* By strongly connected component: whether it is entered from outside. By function: the number of
 * calls to it from other functions of its component. */
struct entries {
	bool *is_entered;
	uint64_t *calls;
};

static void find_entries(const struct graph *g, const struct strong_components *c,
			 struct entries *e)
{
	for (size_t i = 0; i < g->n_functions; i++)
		if (g->starts[i].is_start)
			e->is_entered[c->of[i]] = true;
	for (size_t i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];
		uint64_t *calls = &e->calls[arc->callee];

		if (c->of[arc->caller] != c->of[arc->callee])
			e->is_entered[c->of[arc->callee]] = true;
		else if (arc->caller != arc->callee &&
			 __builtin_add_overflow(*calls, arc->calls, calls))
			*calls = UINT64_MAX;
	}
}

/* Returns the one of two functions that is called least; among equals, the first by name. */
static uint32_t least_called(const struct entries *e, uint32_t f, uint32_t g)
{
	if (e->calls[f] != e->calls[g])
		return e->calls[f] < e->calls[g] ? f : g;
	return f < g ? f : g;
}

/*
 * A cycle without calls from outside must have been entered by a call that was not seen, for
 * example a callback from code that is not profiled. The entry is taken to be the function that the
 * others call least, because a recursion is entered at its top; among equals it is the first by
 * name.
 */
static void enter_cycles(struct graph *g, const struct strong_components *c,
			 const struct entries *e)
{
	for (uint32_t k = 0; k < c->n; k++) {
		uint32_t best = c->members[c->first[k]];

		if (e->is_entered[k])
			continue;
		for (uint32_t i = c->first[k] + 1; i < c->first[k + 1]; i++)
			best = least_called(e, best, c->members[i]);
		g->starts[best].is_start = true;
	}
}

static int mark_cycle_starts(struct graph *g, struct error *err)
{
	uint32_t *first = calloc(g->n_functions + 1, sizeof(*first));
	uint32_t *target = calloc(g->n_arcs + 1, sizeof(*target));
	struct entries e = {
		.is_entered = calloc(g->n_functions + 1, sizeof(*e.is_entered)),
		.calls = calloc(g->n_functions + 1, sizeof(*e.calls)),
	};
	struct successors successors = {(uint32_t)g->n_functions, first, target};
	struct strong_components c = {0};
	bool ok = first && target && e.is_entered && e.calls;

	for (size_t i = 0; ok && i < g->n_arcs; i++) {
		target[i] = g->arcs[i].callee;
		first[g->arcs[i].caller + 1]++;
	}
	for (size_t i = 0; ok && i < g->n_functions; i++)
		first[i + 1] += first[i];
	int status = ok ? strong_components_find(&c, &successors, err) : error_memory(err);
	if (!status) {
		find_entries(g, &c, &e);
		enter_cycles(g, &c, &e);
		g->has_totals = g->has_weights && (g->has_totals || c.n == g->n_functions);
	}
	strong_components_free(&c);
	free(first);
	free(target);
	free(e.is_entered);
	free(e.calls);
	return status;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static int make(struct making *m, struct error *err)
{
	if (order_functions(m, err))
		return -1;
	copy_arcs(m);
	if (mark_call_starts(m, err) || mark_cycle_starts(m->graph, err))
		return -1;
	copy_functions(m);
	return 0;
}

struct graph *graph_of_calls(const struct profile *p, enum tree_unit unit, struct error *err)
{
	struct making m = {.calls = p->given_calls, .graph = calloc(1, sizeof(*m.graph))};
	int status;

	if (!m.graph) {
		error_memory(err);
		return NULL;
	}
	*m.graph = (struct graph){
		.strings = p->strings,
		.unit = unit,
		.total = unit == TREE_HITS ? p->hits : p->weight,
		.hits = p->hits,
		.has_calls = true,
		.has_weights = p->given_calls->has_inclusive,
		.has_totals = p->given_calls->has_totals,
		.has_shares = p->given_calls->has_shares,
	};
	status = make(&m, err);
	free(m.order);
	free(m.places);
	if (!status)
		return m.graph;
	graph_free(m.graph);
	return NULL;
}

static uint64_t rounded(const struct graph *g, double weight)
{
	weight = rint(weight);
	return weight < (double)g->total ? (uint64_t)fmax(weight, 0) : g->total;
}

void graph_set_totals(struct graph *g, const double *totals, const double *call_totals)
{
	for (size_t i = 0; i < g->n_functions; i++) {
		g->functions[i].total = rounded(g, totals[i]);
		estimate_hits(g, &g->functions[i]);
	}
	for (size_t i = 0; !g->has_weights && i < g->n_arcs; i++)
		if (!isnan(call_totals[i]))
			g->arcs[i].weight = g->arcs[i].stacks = rounded(g, call_totals[i]);
}

/* ---- call distance --------------------------------------------------------------------------- */

/* The arcs of function f lead to the functions next[first[f]] .. next[first[f + 1] - 1]. */
struct steps {
	uint32_t *first, *next;
	uint32_t *queue;
};

/* List the arcs of each function, with a counting sort. */
static int list_steps(struct steps *s, const struct graph *g, bool up)
{
	size_t i;

	s->first = calloc(g->n_functions + 2, sizeof(*s->first));
	s->next = calloc(g->n_arcs + 1, sizeof(*s->next));
	s->queue = calloc(g->n_functions + 1, sizeof(*s->queue));
	if (!s->first || !s->next || !s->queue)
		return -1;
	/* The counts are stored two elements ahead, because filling the lists moves each start
	 * forward to its final place. */
	for (i = 0; i < g->n_arcs; i++)
		s->first[(up ? g->arcs[i].callee : g->arcs[i].caller) + 2]++;
	for (i = 2; i < g->n_functions + 2; i++)
		s->first[i] += s->first[i - 1];
	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *a = &g->arcs[i];

		s->next[s->first[(up ? a->callee : a->caller) + 1]++] = up ? a->caller : a->callee;
	}
	return 0;
}

static void spread(struct steps *s, uint32_t *calls, size_t n_functions)
{
	uint32_t n = 0, i, k;

	for (i = 0; i < n_functions; i++)
		if (calls[i] == 0)
			s->queue[n++] = i;
	for (i = 0; i < n; i++) {
		uint32_t f = s->queue[i];

		for (k = s->first[f]; k < s->first[f + 1]; k++) {
			if (calls[s->next[k]] != CALL_DISTANCE_NEVER)
				continue;
			calls[s->next[k]] = calls[f] + 1;
			s->queue[n++] = s->next[k];
		}
	}
}

int call_distance_spread(uint32_t *calls, const struct graph *g, bool up, struct error *err)
{
	struct steps s = {0};
	int status = list_steps(&s, g, up);

	if (!status)
		spread(&s, calls, g->n_functions);
	free(s.first);
	free(s.next);
	free(s.queue);
	return status ? error_memory(err) : 0;
}
