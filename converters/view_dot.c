/* SPDX-License-Identifier: MIT */
/*
 * view_dot.c - the call graph for Graphviz (Naganov, "call graph"), pruned.
 *
 * Show room. In: struct graph. Out: a digraph in the DOT language.
 *
 * Weights are exact: each stack counts once for a function and for an arc. A function calling
 * itself has no weight of its own on that arc; its label says in how many stacks it happens.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "colour.h"
#include "dot_text.h"
#include "view.h"

#define NODE_THRESHOLD 0.5
#define EDGE_THRESHOLD 0.1
#define PEN_LEAST      0.5
#define PEN_MOST       4.0
#define UNREACHED      UINT32_MAX

struct drawing {
	const struct graph *graph;
	const struct view_options *options;
	double node_threshold, edge_threshold;
	uint32_t *level; /* by function: fewest calls from an outermost one */
	bool *kept;	 /* by function */
};

static const char head[] =
	"digraph {\n"
	"\tgraph [fontname=\"Arial\", nodesep=\"0.125\", ranksep=\"0.25\"];\n"
	"\tnode [fontname=\"Arial\", fontsize=\"10\", height=\"0\", shape=\"box\", "
	"style=\"filled\", width=\"0\"];\n"
	"\tedge [fontname=\"Arial\", fontsize=\"10\"];\n";

/* Put the outermost functions, level 0, into the queue; returns how many there are. */
static uint32_t mark_outermost(struct drawing *d, const uint32_t *function_of, uint32_t *queue)
{
	const struct tree_node *nodes = d->graph->tree->nodes;
	uint32_t n = 0, i;

	for (i = 1; i < nodes[0].end; i = nodes[i].end) {
		uint32_t f = function_of[nodes[i].name];

		if (d->level[f] != UNREACHED)
			continue;
		d->level[f] = 0;
		queue[n++] = f;
	}
	return n;
}

/* The first arc of a caller: arcs are sorted by caller. */
static size_t first_arc(const struct graph *g, uint32_t caller)
{
	size_t low = 0, high = g->n_arcs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->arcs[middle].caller < caller)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Breadth first. */
static void spread(struct drawing *d, uint32_t *queue, uint32_t n)
{
	const struct graph *g = d->graph;
	uint32_t i;
	size_t k;

	for (i = 0; i < n; i++) {
		for (k = first_arc(g, queue[i]); k < g->n_arcs; k++) {
			uint32_t callee = g->arcs[k].callee;

			if (g->arcs[k].caller != queue[i])
				break;
			if (d->level[callee] != UNREACHED)
				continue;
			d->level[callee] = d->level[queue[i]] + 1;
			queue[n++] = callee;
		}
	}
}

static int find_levels(struct drawing *d)
{
	const struct graph *g = d->graph;
	uint32_t *queue = calloc(g->n_functions + 1, sizeof(*queue));
	uint32_t *function_of = calloc(strings_count(g->tree->strings) + 1, sizeof(*function_of));
	int status = queue && function_of ? 0 : -1;
	uint32_t i;

	if (!status) {
		for (i = 0; i < g->n_functions; i++)
			function_of[g->functions[i].name] = i;
		memset(d->level, 0xff, g->n_functions * sizeof(*d->level));
		spread(d, queue, mark_outermost(d, function_of, queue));
	}
	free(queue);
	free(function_of);
	return status;
}

static void write_node(struct out *o, const struct drawing *d, const struct tree_function *f)
{
	const struct tree *t = d->graph->tree;
	double total = amount_fraction(f->total, t->total);
	char colour[COLOUR_BYTES];

	out_text(o, "\t");
	dot_quote(o, t->strings, f->name, NULL);
	out_text(o, " [label=");
	dot_quote(o, t->strings, f->name, "\\n%.2f%%\\n(%.2f%%)", total * 100,
		  amount_fraction(f->self, t->total) * 100);
	out_format(o, ", color=\"%s\", fontcolor=\"%s\"];\n", colour_of(colour, total),
		   colour_of_text(total));
}

static void write_edge(struct out *o, const struct drawing *d, const struct graph_arc *arc)
{
	const struct graph *g = d->graph;
	double share = amount_fraction(arc->stacks, g->tree->total);
	double pen = share * PEN_MOST > PEN_LEAST ? share * PEN_MOST : PEN_LEAST;
	char colour[COLOUR_BYTES], label[COLOUR_BYTES];

	out_text(o, "\t");
	dot_quote(o, g->tree->strings, g->functions[arc->caller].name, NULL);
	out_text(o, " -> ");
	dot_quote(o, g->tree->strings, g->functions[arc->callee].name, NULL);
	out_format(o,
		   " [label=\"%.2f%%\", color=\"%s\", fontcolor=\"%s\", penwidth=\"%.2f\", "
		   "labeldistance=\"%.2f\", arrowsize=\"%.2f\"];\n",
		   share * 100, colour_of(colour, share), colour_of_label(label, share), pen, pen,
		   0.25 + pen / 5);
}

static bool keeps(const struct drawing *d, uint32_t function)
{
	const struct graph *g = d->graph;

	return !amount_below(g->functions[function].total, g->tree->total, d->node_threshold) &&
	       !(d->options->depth && d->level[function] >= d->options->depth);
}

static void write_graph(struct drawing *d, struct out *o)
{
	const struct graph *g = d->graph;
	size_t i;

	out_text(o, head);
	for (i = 0; i < g->n_functions; i++) {
		d->kept[i] = keeps(d, (uint32_t)i);
		if (d->kept[i])
			write_node(o, d, &g->functions[i]);
	}
	for (i = 0; i < g->n_arcs; i++) {
		const struct graph_arc *arc = &g->arcs[i];

		if (d->kept[arc->caller] && d->kept[arc->callee] &&
		    !amount_below(arc->stacks, g->tree->total, d->edge_threshold))
			write_edge(o, d, arc);
	}
	out_text(o, "}\n");
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct view_options *options = in->options;
	struct drawing d = {
		.graph = in->graph,
		.options = options,
		.node_threshold =
			options->node_threshold >= 0 ? options->node_threshold : NODE_THRESHOLD,
		.edge_threshold =
			options->edge_threshold >= 0 ? options->edge_threshold : EDGE_THRESHOLD,
	};
	int status = -1;

	d.level = calloc(in->graph->n_functions + 1, sizeof(*d.level));
	d.kept = calloc(in->graph->n_functions + 1, sizeof(*d.kept));
	if (d.level && d.kept && !find_levels(&d)) {
		write_graph(&d, o);
		status = 0;
	}
	free(d.level);
	free(d.kept);
	return status ? error_memory(err) : 0;
}

const struct view view_dot = {
	.name = "dot",
	.help = "the call graph as a picture, for Graphviz",
	.needs = VIEW_NEEDS_GRAPH,
	.emit = emit,
};
