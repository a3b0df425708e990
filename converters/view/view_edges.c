/* SPDX-License-Identifier: MIT */
/*
 * view_edges.c - the calls of one function by another, one by one (Naganov, "call graph").
 *
 * In: struct graph. Out: a line for each pair of caller and callee.
 */
#include <stdlib.h>

#include "view/view.h"
#include "write/caption.h"
#include "write/table.h"

#define CALLS_WIDTH 12

enum { WEIGHT, STACKS, OCCURRENCES, OFTEN };

/* The graphs of all columns have the same calls in the same order. */
struct edges {
	const struct view_input *in;
	size_t n_columns, column; /* that is weighed next */
	uint64_t *callers;	  /* what the callers used, by call and column; NULL: nobody asks */
	uint32_t *order;
};

/* Arcs are sorted by weight. Calls of a function to itself have none; they follow, sorted by stacks. */
static int compare_weights(const void *a, const void *b, void *context)
{
	const struct graph *g = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct graph_arc *x = &g->arcs[i], *y = &g->arcs[k];

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->stacks != y->stacks)
		return x->stacks < y->stacks ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return (i > k) - (i < k);
}

static int weigh(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	struct edges *e = context;
	const struct graph *first = e->in->graph;
	bool is_first = t == e->in->tree;
	struct graph *made = is_first ? NULL : graph_build(t, err);
	const struct graph *g = is_first ? first : made;

	for (size_t i = 0; g && i < first->n_arcs; i++) {
		weights[i] = g->arcs[i].stacks;
		if (e->callers)
			e->callers[i * e->n_columns + e->column] =
				g->functions[g->arcs[i].caller].total;
	}
	e->column++;
	graph_free(made);
	return g ? 0 : -1;
}

static unsigned __int128 often(const struct graph *g, const struct graph_arc *arc)
{
	return g->has_calls ? arc->calls : arc->occurrences;
}

static int describe(void *context, uint32_t part, struct table_row *row, struct error *err)
{
	const struct edges *e = context;
	const struct graph *g = e->in->graph;
	const struct graph_arc *arc = &g->arcs[part];

	(void)err;
	row->name = g->functions[arc->caller].name;
	row->callee = g->functions[arc->callee].name;
	row->values[WEIGHT] = arc->weight;
	row->values[STACKS] = arc->stacks;
	row->values[OCCURRENCES] = arc->occurrences;
	row->values[OFTEN] = often(g, arc);
	row->has_calls = g->has_calls && arc->is_counted;
	if (e->callers)
		row->wholes = &e->callers[part * e->n_columns];
	return 0;
}

static void write_totals(struct table *t, void *context)
{
	(void)context;
	if (!t->is_rows && !t->in->graph->has_weights)
		caption_totals(t->out, t->in);
	if (!t->is_rows)
		caption_calls(t->out, t->in);
}

/* All weights of a column have the same unit, so that they can be compared. */
static void set_scales(struct table_about *about, const struct view_input *in)
{
	const struct graph *g = in->graph;
	unsigned __int128 most_often = 0;
	uint64_t weight = 0;

	for (size_t i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];

		weight = arc->weight > weight ? arc->weight : weight;
		if (often(g, arc) > most_often)
			most_often = often(g, arc);
	}
	about->scales[0] = weight_scale(in->profile, g->unit, weight);
	about->scales[1] =
		weight_scale(in->profile, g->has_calls ? TREE_HITS : g->unit, most_often);
}

static int show(struct edges *e, struct out *o, struct error *err)
{
	const struct graph *g = e->in->graph;
	bool is_counted = g->has_calls && g->tree;
	const struct table_column columns[] = {
		TABLE_COLUMN("caller", NULL, LABEL, 0),
		TABLE_COLUMN("total", NULL, COUNT, WEIGHT),
		TABLE_COLUMN("stacks", NULL, COUNT, STACKS),
		TABLE_COLUMN("occurrences", NULL, COUNT, OCCURRENCES),
		TABLE_COLUMN("calls", NULL, CALLS, OFTEN),
		TABLE_COLUMN(NULL, "weight %", SHARE, WEIGHT),
		TABLE_COLUMN(NULL, "weight", WEIGHT, WEIGHT),
		TABLE_COLUMN(NULL,
			     is_counted	    ? NULL
			     : g->has_calls ? "calls"
					    : "occurrences",
			     WEIGHT, OFTEN, .scale = 1),
		TABLE_COLUMN(NULL, is_counted ? "calls" : NULL, CALLS, OFTEN, .width = CALLS_WIDTH),
		TABLE_COLUMN(NULL, "caller -> callee", LABEL, 0),
		{0},
	};
	struct table_about about = {
		.view = "edges",
		.title = "Call Graph Edges",
		.what = "edge",
		.label = TABLE_CALL,
		.text_threshold = 0.5,
		.columns = columns,
		.last = "caller -> callee",
		.of_parent = "percentages are of the caller's total",
		.above = write_totals,
		.describe = describe,
		.context = e,
	};
	const struct table_parts parts = {
		.n = g->n_arcs,
		.measure = {weigh, e},
		.order = e->order,
		.in_order = true,
	};

	set_scales(&about, e->in);
	return table_parts(e->in, o, &about, &parts, err);
}

static int write_all(const struct view_input *in, struct out *o, struct error *err)
{
	const struct graph *g = in->graph;
	struct edges e = {
		.in = in,
		.n_columns = table_shape(in) == TABLE_SEVERAL ? in->profile->n_columns : 1,
		.order = calloc(g->n_arcs + 1, sizeof(*e.order)),
	};
	int status = 0;

	if (in->options->of_parent) {
		e.callers = calloc(g->n_arcs + 1, e.n_columns * sizeof(*e.callers));
		status = e.callers ? 0 : -1;
	}
	for (size_t i = 0; e.order && i < g->n_arcs; i++)
		e.order[i] = (uint32_t)i;
	/* The comparison only reads; qsort_r has no const context. */
	if (e.order)
		qsort_r(e.order, g->n_arcs, sizeof(*e.order), compare_weights,
			(void *)(uintptr_t)g);
	status = status || !e.order ? error_memory(err) : show(&e, o, err);
	free(e.order);
	free(e.callers);
	return status;
}

/* Calls that were counted are edges whether samples have met them or not. */
static int write_counted(const struct view_input *in, struct out *o, struct error *err)
{
	return view_with_calls(in, o, write_all, err);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	return view_below_root(in, o, write_counted, err);
}

const struct view view_edges = {
	.name = "edges",
	.help = "who calls whom, with the weight of the calls",
	.fits_screen = true,
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "threshold", "percent", "calls-from"),
	.commands = {{.argument = VIEW_ARGUMENT_COUNT, .help = "who calls whom, as a table"}},
	.emit = emit,
};
