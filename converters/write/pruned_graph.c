/* SPDX-License-Identifier: MIT */
/*
 * pruned_graph.c - selects the functions and calls of a call graph that are shown.
 *
 * In: struct graph and the options of the view. Out: nodes and edges.
 */
#include "write/pruned_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"
#include "graph/graph.h"
#include "graph/propagate.h"

#define NODE_THRESHOLD 0.5
#define EDGE_THRESHOLD 0.1
#define ROUNDING       1e-12 /* the relative error that adding up shares may cause */

struct selection {
	struct pruned_graph *drawing;
	const struct view_options *options;
	bool *kept; /* by function: it is shown */
};

static double share(double part, double whole)
{
	return whole > 0 ? fmin(part / whole, 1) : 1;
}

static bool below(double share_of_all, double percent)
{
	return share_of_all * 100 < percent * (1 - ROUNDING);
}

/* ---- all nodes and edges, with their shares ---- */
static void weigh_nodes(struct pruned_graph *d, const struct propagation *p)
{
	const struct graph *g = d->graph;
	double all = (double)g->total;
	uint32_t i;

	for (i = 0; i < g->n_functions; i++)
		d->nodes[i] = (struct pruned_graph_node){
			.function = i,
			.cycle = p->cycles[i] == PROPAGATE_NO_CYCLE ? PRUNED_GRAPH_NO_CYCLE
								    : p->cycles[i],
			.total = share(d->is_exact ? (double)g->functions[i].total : p->totals[i],
				       all),
			.self = share((double)g->functions[i].self, all),
		};
	d->n_nodes = g->n_functions;
}

static void count_calls(struct pruned_graph *d)
{
	const struct graph *g = d->graph;
	size_t i;

	for (i = 0; i < g->n_functions; i++)
		d->nodes[i].calls = g->starts[i].calls;
	for (i = 0; i < g->n_arcs; i++) {
		uint64_t *calls = &d->nodes[g->arcs[i].callee].calls;

		if (__builtin_add_overflow(*calls, g->arcs[i].calls, calls))
			*calls = UINT64_MAX;
	}
}

/* Without stacks, a call within a cycle may have cost something that the input counts only for the
 * call around it. */
static bool is_unknown(const struct graph *g, const struct propagation *p,
		       const struct graph_arc *a)
{
	return !g->tree && a->weight == 0 && a->calls > 0 &&
	       p->cycles[a->caller] != PROPAGATE_NO_CYCLE &&
	       p->cycles[a->caller] == p->cycles[a->callee];
}

static double edge_total(const struct pruned_graph *d, const struct propagation *p, uint32_t arc)
{
	const struct graph *g = d->graph;
	const struct graph_arc *a = &g->arcs[arc];
	double total = d->is_exact ? (double)a->weight : p->call_totals[arc];

	if (a->caller == a->callee || isnan(total) || (d->is_exact && is_unknown(g, p, a)))
		return NAN;
	return share(total, (double)g->total);
}

static void weigh_edges(struct pruned_graph *d, const struct propagation *p)
{
	const struct graph *g = d->graph;
	uint32_t i;

	for (i = 0; i < g->n_arcs; i++)
		d->edges[i] = (struct pruned_graph_edge){
			.arc = i,
			.total = edge_total(d, p, i),
			.ratio = p->ratios[i],
		};
	d->n_edges = g->n_arcs;
}

static void weigh_all(struct pruned_graph *d, const struct propagation *p)
{
	weigh_nodes(d, p);
	count_calls(d);
	weigh_edges(d, p);
}

/* Find the shares of all nodes and edges. If the graph has a propagation already, as calls without
 * stacks may have, it is used. */
static int weigh(struct pruned_graph *d, struct error *err)
{
	struct propagation p;
	int status;

	d->nodes = calloc(d->graph->n_functions + 1, sizeof(*d->nodes));
	d->edges = calloc(d->graph->n_arcs + 1, sizeof(*d->edges));
	if (!d->nodes || !d->edges)
		return error_memory(err);
	if (d->graph->propagation) {
		weigh_all(d, d->graph->propagation);
		return 0;
	}
	status = d->is_exact ? propagate_ratios(&p, d->graph, err)
			     : propagate_graph(&p, d->graph, err);
	if (status)
		return -1;
	weigh_all(d, &p);
	propagate_free(&p);
	return 0;
}

/* ---- functions of --path ---- */

/* By name of a function: what is known of where it is. */
#define IS_SOMEWHERE 1u
#define IS_IN_PATH   2u

struct places {
	const struct view_input *in;
	unsigned char *marks; /* by string */
	size_t n;
};

/* As gprof2dot does it: a source file's path begins with one that is given, and where no source file is known, that of a module
 * has one in it. */
static void mark_place(struct places *p, uint32_t name, uint32_t file, uint32_t module)
{
	const struct strings *s = p->in->profile->strings;
	const struct view_options *o = p->in->options;
	uint32_t number = file != STRINGS_NONE ? file : module;
	const char *path = number != STRINGS_NONE ? strings_get(s, number, NULL) : NULL;

	if (!path || name >= p->n)
		return;
	p->marks[name] |= IS_SOMEWHERE;
	for (const char *at = o->paths, *end; (end = strchr(at, '\n')); at = end + 1) {
		size_t n = (size_t)(end - at);
		bool begins = strncmp(path, at, n) == 0;

		if (begins || (file == STRINGS_NONE && memmem(path, strlen(path), at, n)))
			p->marks[name] |= IS_IN_PATH;
	}
}

static int mark_frames(struct places *p, struct error *err)
{
	const struct profile *f = p->in->profile;
	const struct symbols_place *list;
	size_t n;

	for (size_t i = 0; p->in->symbols && i < f->n_frames; i++) {
		uint32_t module = f->frames[i].module < f->n_modules
					  ? f->modules[f->frames[i].module].path
					  : STRINGS_NONE;

		if (symbols_expand(p->in->symbols, &f->frames[i], &list, &n, err))
			return -1;
		for (size_t k = 0; k < n; k++)
			mark_place(p, list[k].name, list[k].file, module);
	}
	return 0;
}

/* Drop the functions that are in none of the paths. Those of which nothing is known stay. */
static int keep_in_paths(bool *kept, const struct graph *g, const struct view_input *in,
			 struct error *err)
{
	const struct given_calls *c = in->profile->given_calls;
	struct places p = {.in = in, .n = strings_count(in->profile->strings)};
	bool is_known = false, is_any = false;
	int status;

	p.marks = calloc(p.n + 1, 1);
	if (!p.marks)
		return error_memory(err);
	for (size_t i = 0; c && i < c->n_functions; i++)
		mark_place(&p, c->functions[i].name, c->functions[i].file, c->functions[i].object);
	status = c ? 0 : mark_frames(&p, err);
	for (size_t i = 0; !status && i < g->n_functions; i++) {
		unsigned char mark = g->functions[i].name < p.n ? p.marks[g->functions[i].name] : 0;

		kept[i] = kept[i] && mark != IS_SOMEWHERE;
		is_known |= mark != 0;
		is_any |= (mark & IS_IN_PATH) != 0;
	}
	free(p.marks);
	if (!status && !is_known)
		return error_usage(err,
				   "--path: nothing in the input says in which file a function is");
	if (!status && !is_any)
		return error_set(err, "--path: no function is in a file that begins so");
	return status;
}

/* ---- nodes that --root, --leaf and --depth reach ---- */

#define BARRED (CALL_DISTANCE_NEVER - 1) /* no way leads through these functions */

static int find_start(uint32_t *calls, const struct graph *g, const char *wanted, struct error *err)
{
	struct function_names names;
	size_t i;

	if (function_names_of_graph(&names, g, wanted, err))
		return -1;
	for (i = 0; i < g->n_functions; i++)
		if (function_names_has(&names, g->functions[i].name))
			calls[i] = 0;
	function_names_free(&names);
	return 0;
}

static void find_outermost(uint32_t *calls, const struct graph *g)
{
	size_t i;

	for (i = 0; i < g->n_functions; i++)
		if (g->starts[i].is_start)
			calls[i] = 0;
}

/* Drop the functions that are not reached from `name`, or if that is NULL, from outermost
 * functions, or that are more than `depth` calls away. If that is 0, the distance does not matter. */
static int keep_reached(bool *kept, const struct graph *g, const char *name, bool up,
			uint64_t depth, struct error *err)
{
	uint32_t *calls = malloc((g->n_functions + 1) * sizeof(*calls));
	bool begins = false;
	int status = 0;
	size_t i;

	if (!calls)
		return error_memory(err);
	memset(calls, 0xff, g->n_functions * sizeof(*calls));
	if (name)
		status = find_start(calls, g, name, err);
	else
		find_outermost(calls, g);
	for (i = 0; i < g->n_functions; i++) {
		calls[i] = kept[i] ? calls[i] : BARRED;
		begins |= calls[i] == 0;
	}
	if (!status && name && g->n_functions && !begins)
		status = error_set(err, "no function \"%s\" is in a --path", name);
	if (!status)
		status = call_distance_spread(calls, g, up, err);
	for (i = 0; !status && i < g->n_functions; i++)
		if (calls[i] >= BARRED || (depth && calls[i] > depth))
			kept[i] = false;
	free(calls);
	return status;
}

bool *pruned_graph_reached(const struct graph *g, const struct view_input *in, struct error *err)
{
	const struct view_options *options = in->options;
	bool *kept = malloc(g->n_functions + 1);
	int status = kept ? 0 : error_memory(err);

	if (!status)
		memset(kept, true, g->n_functions);
	if (!status && *options->paths)
		status = keep_in_paths(kept, g, in, err);
	if (!status && (options->root || (options->depth && !options->leaf)))
		status = keep_reached(kept, g, options->root, false, options->depth, err);
	if (!status && options->leaf)
		status = keep_reached(kept, g, options->leaf, true, options->depth, err);
	if (!status)
		return kept;
	free(kept);
	return NULL;
}

/* ---- nodes and edges within the thresholds and --top ---- */
static int compare_weight(const void *a, const void *b)
{
	const struct pruned_graph_node *x = a, *y = b;

	if (x->total < y->total || x->total > y->total)
		return x->total < y->total ? 1 : -1;
	return (x->function > y->function) - (x->function < y->function);
}

static int compare_function(const void *a, const void *b)
{
	const struct pruned_graph_node *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

/* Keep the heaviest of the first n nodes. Returns how many are kept. */
static size_t keep_top(struct pruned_graph *d, size_t n, uint64_t top)
{
	if (top == 0 || top >= n)
		return n;
	qsort(d->nodes, n, sizeof(*d->nodes), compare_weight);
	qsort(d->nodes, (size_t)top, sizeof(*d->nodes), compare_function);
	d->n_beyond = n - (size_t)top;
	return (size_t)top;
}

static void keep_nodes(struct selection *s)
{
	struct pruned_graph *d = s->drawing;
	size_t i, n = 0;

	for (i = 0; i < d->n_nodes; i++) {
		if (!s->kept[d->nodes[i].function])
			d->n_unreached++;
		else if (below(d->nodes[i].total, d->node_threshold))
			d->n_small++;
		else
			d->nodes[n++] = d->nodes[i];
	}
	d->n_nodes = keep_top(d, n, s->options->top);
	memset(s->kept, 0, d->graph->n_functions * sizeof(*s->kept));
	for (i = 0; i < d->n_nodes; i++)
		s->kept[d->nodes[i].function] = true;
}

/* The weight that is compared with the threshold of edges. To be called before nodes are dropped,
 * while nodes[f] is the node of function f. */
static double edge_weight(const struct pruned_graph *d, const struct pruned_graph_edge *e)
{
	const struct graph_arc *a = &d->graph->arcs[e->arc];

	return isnan(e->total) ? fmin(d->nodes[a->caller].total, d->nodes[a->callee].total)
			       : e->total;
}

static void keep_heavy_edges(struct selection *s)
{
	struct pruned_graph *d = s->drawing;
	size_t i, n = 0;

	for (i = 0; i < d->n_edges; i++)
		if (!below(edge_weight(d, &d->edges[i]), d->edge_threshold))
			d->edges[n++] = d->edges[i];
	d->n_edges = n;
}

static void keep_whole_edges(struct selection *s)
{
	struct pruned_graph *d = s->drawing;
	size_t i, n = 0;

	for (i = 0; i < d->n_edges; i++) {
		const struct graph_arc *a = &d->graph->arcs[d->edges[i].arc];

		if (s->kept[a->caller] && s->kept[a->callee])
			d->edges[n++] = d->edges[i];
	}
	d->n_edges = n;
}

static int prune(struct pruned_graph *d, const struct view_input *in, struct error *err)
{
	struct selection s = {d, in->options, pruned_graph_reached(d->graph, in, err)};

	if (!s.kept)
		return -1;
	keep_heavy_edges(&s);
	keep_nodes(&s);
	keep_whole_edges(&s);
	free(s.kept);
	return 0;
}

double pruned_graph_node_threshold(const struct view_options *options)
{
	return options->node_threshold >= 0 ? options->node_threshold : NODE_THRESHOLD;
}

double pruned_graph_edge_threshold(const struct view_options *options)
{
	return options->edge_threshold >= 0 ? options->edge_threshold : EDGE_THRESHOLD;
}

int pruned_graph_make(struct pruned_graph *d, const struct view_input *in, struct error *err)
{
	const struct graph *g = in->graph;

	*d = (struct pruned_graph){
		.graph = g,
		.strings = g->strings,
		.is_exact = g->has_totals && in->options->totals != VIEW_PROPAGATED,
		.node_threshold = pruned_graph_node_threshold(in->options),
		.edge_threshold = pruned_graph_edge_threshold(in->options),
	};
	if (in->options->totals == VIEW_EXACT && !g->has_totals)
		return error_usage(err,
				   "totals exact: the input has calls without stacks, which do not "
				   "say what functions used with all that they call; leave it out, "
				   "or take totals propagated");
	if (weigh(d, err) == 0 && prune(d, in, err) == 0)
		return 0;
	pruned_graph_free(d);
	return -1;
}

const char *pruned_graph_totals(const struct pruned_graph *d)
{
	if (!d->is_exact)
		return "totals: propagated, cycles split";
	if (d->graph->has_shares)
		return "totals: exact, as recorded; of calls: shares by number";
	return d->graph->tree ? "totals: exact, each stack once" : "totals: exact, as recorded";
}

void pruned_graph_free(struct pruned_graph *d)
{
	free(d->nodes);
	free(d->edges);
	*d = (struct pruned_graph){0};
}
