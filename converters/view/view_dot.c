/* SPDX-License-Identifier: MIT */
/*
 * view_dot.c - the call graph for Graphviz (Fonseca; Naganov, "call graph").
 *
 * In: struct pruned_graph. Out: a digraph in the DOT language.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "model/processes.h"
#include "view/compared.h"
#include "view/view.h"
#include "write/colour.h"
#include "write/dot_text.h"
#include "write/passages.h"
#include "write/pruned_graph.h"
#include "write/short_name.h"
#include "write/weight.h"

#define NODES_MOST  32
#define NODES_LARGE 12 /* beyond so many long names are wrapped */
#define CHAIN_ENDS  2  /* functions that are named at each end of a long chain */
#define SAME	    0.0001
#define NONE	    UINT32_MAX
#define NAME_MOST   70 /* bytes of a command in the legend */

/* Where a function is in the picture. */
struct spot {
	uint32_t node;	     /* in drawing.nodes */
	uint32_t next, head; /* the next function of its chain, or NONE; the first one */
	uint32_t out, in;    /* edges, without those that are not counted for chains */
	bool has_before;     /* the chain has a function before it */
};

struct picture {
	const struct view_input *in;
	struct pruned_graph drawing;
	struct passages passages;
	struct spot *spots; /* by function */
	const struct view_dot_options *options;
	struct colour_scale scale;
	bool wraps;
	double largest_self; /* of what is shown */
};

static const char head[] =
	"digraph {\n"
	"\tgraph [fontname=\"Arial\", fontsize=\"10\", nodesep=\"0.125\", ranksep=\"0.25\", "
	"label=\"";
static const char rest_of_head[] = "\", labelloc=\"b\", labeljust=\"l\"];\n"
				   "\tnode [fontname=\"Arial\", fontsize=\"10\", height=\"0\", "
				   "shape=\"box\", style=\"%s\", width=\"0\"];\n"
				   "\tedge [fontname=\"Arial\", fontsize=\"10\"];\n";

/* ---- chains ---------------------------------------------------------------------------------- */

static void count_edge(struct picture *p, uint32_t caller, uint32_t callee)
{
	/* A function that calls itself is in no chain. */
	p->spots[caller].out += caller == callee ? 2 : 1;
	p->spots[callee].in += caller == callee ? 2 : 1;
}

static const struct pruned_graph_node *node_of(const struct picture *p, uint32_t function)
{
	return &p->drawing.nodes[p->spots[function].node];
}

/* The caller does nothing but call the callee, which nobody else calls. */
static bool is_link(const struct picture *p, const struct pruned_graph_edge *e)
{
	const struct graph_arc *a = &p->drawing.graph->arcs[e->arc];
	const struct pruned_graph_node *caller = node_of(p, a->caller);
	const struct pruned_graph_node *callee = node_of(p, a->callee);

	return !isnan(e->total) && p->spots[a->caller].out == 1 && p->spots[a->callee].in == 1 &&
	       caller->self < SAME && fabs(caller->total - callee->total) < SAME;
}

static void find_chains(struct picture *p)
{
	const struct pruned_graph *d = &p->drawing;

	for (size_t i = 0; i < d->n_edges; i++)
		count_edge(p, d->graph->arcs[d->edges[i].arc].caller,
			   d->graph->arcs[d->edges[i].arc].callee);
	for (size_t i = 0; i < p->passages.n; i++)
		count_edge(p, p->passages.list[i].caller, p->passages.list[i].callee);
	for (size_t i = 0; i < d->n_edges; i++) {
		const struct graph_arc *a = &d->graph->arcs[d->edges[i].arc];

		if (!is_link(p, &d->edges[i]))
			continue;
		p->spots[a->caller].next = a->callee;
		p->spots[a->callee].has_before = true;
	}
}

/* What is in a closed circle has no first function, and is no chain. */
static void name_chains(struct picture *p)
{
	const struct pruned_graph *d = &p->drawing;

	for (size_t i = 0; i < d->n_nodes; i++) {
		uint32_t first = d->nodes[i].function, f = first;

		for (; !p->spots[first].has_before && f != NONE; f = p->spots[f].next)
			p->spots[f].head = first;
	}
	for (size_t i = 0; i < d->n_nodes; i++) {
		struct spot *s = &p->spots[d->nodes[i].function];

		if (s->head != NONE)
			continue;
		s->head = d->nodes[i].function;
		s->next = NONE;
		s->has_before = false;
	}
}

static int find_spots(struct picture *p)
{
	const struct pruned_graph *d = &p->drawing;

	p->spots = calloc(d->graph->n_functions + 1, sizeof(*p->spots));
	if (!p->spots)
		return -1;
	for (uint32_t i = 0; i < d->n_nodes; i++)
		p->spots[d->nodes[i].function] =
			(struct spot){.node = i, .next = NONE, .head = NONE};
	find_chains(p);
	name_chains(p);
	return 0;
}

/* ---- legend ---------------------------------------------------------------------------------- */

static void write_program(struct out *o, const struct picture *p)
{
	const struct profile *f = p->in->profile;
	uint32_t *commands = commands_name(f->strings, f->processes, f->n_processes);
	const struct event_text launched =
		commands_launched_elsewhere(f->strings, f->processes, f->n_processes);
	time_t seconds = f->n_processes ? (time_t)(f->processes[0].start_ns / 1000000000) : 0;
	char date[32] = "";
	struct tm tm;
	size_t n;
	const char *name =
		commands && f->n_processes ? strings_get(f->strings, commands[0], &n) : NULL;

	if (launched.length)
		dot_text_escape(o, launched.bytes,
				launched.length < NAME_MOST ? launched.length : NAME_MOST);
	if (launched.length && f->n_processes > 1)
		out_format(o, ", %zu processes", f->n_processes);
	else if (f->n_processes > 1)
		out_format(o, "%zu processes, first ", f->n_processes);
	if (name && !launched.length)
		dot_text_escape(o, name, n < NAME_MOST ? n : NAME_MOST);
	if (seconds && localtime_r(&seconds, &tm) &&
	    strftime(date, sizeof(date), ", %Y-%m-%d %H:%M", &tm))
		out_text(o, date);
	out_text(o, "\\l");
	free(commands);
}

static void write_total(struct out *o, const struct picture *p)
{
	const struct profile *f = p->in->profile;
	const char *unit = p->in->options->unit == VIEW_UNIT_SAMPLES
				   ? "samples"
				   : strings_get(f->strings, f->unit, NULL);
	char text[WEIGHT_BYTES];
	size_t n;
	const char *name = strings_get(f->strings, f->resource, &n);

	dot_text_escape(o, name, n);
	out_format(o, ": %s\\l", weight_with_unit(text, unit, p->drawing.graph->total));
}

static void write_left_out(struct out *o, const struct picture *p)
{
	const struct pruned_graph *d = &p->drawing;
	size_t n = d->n_unreached + d->n_small + d->n_beyond;

	if (!n)
		return;
	out_format(o, "not shown: %zu function%s", n, n == 1 ? "" : "s");
	if (d->n_small)
		out_format(o, ", %zu below %g %%", d->n_small, d->node_threshold);
	if (d->n_beyond)
		out_format(o, ", %zu beyond the %zu heaviest", d->n_beyond, d->n_nodes);
	out_text(o, "\\l");
	if (p->passages.n)
		out_text(o, "dashed: through functions that are not shown\\l");
}

static int write_head(struct out *o, const struct picture *p, struct error *err)
{
	out_text(o, head);
	write_program(o, p);
	write_total(o, p);
	if (dot_text_parts(o, "", p->in, err))
		return -1;
	out_format(o, "%s\\l", pruned_graph_totals(&p->drawing));
	write_left_out(o, p);
	out_format(o, rest_of_head, colour_fills(p->scale) ? "filled" : "solid");
	return 0;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static void write_name(struct out *o, const struct picture *p, uint32_t name)
{
	size_t n, line;
	const char *bytes = strings_shown(p->drawing.strings, name, &n);
	uint32_t columns;

	columns = short_name_columns(n);
	for (; n > 0; bytes += line, n -= line) {
		line = p->wraps ? short_name_line(bytes, n, columns) : n;
		dot_text_escape(o, bytes, line);
		out_text(o, line < n ? "\\n" : "");
	}
}

/* The names of a chain; of a long one those at its ends. Returns the last function. */
static uint32_t write_chain(struct out *o, const struct picture *p, uint32_t first)
{
	uint32_t n = 0, i = 0, last = first;

	for (uint32_t f = first; f != NONE; f = p->spots[f].next)
		n++;
	for (uint32_t f = first; f != NONE; f = p->spots[f].next, i++) {
		bool is_named = n <= 2 * CHAIN_ENDS + 1 || i < CHAIN_ENDS || i + CHAIN_ENDS >= n;

		if (is_named && i)
			out_text(o, "\\n");
		if (is_named)
			write_name(o, p, p->drawing.graph->functions[f].name);
		else if (i == CHAIN_ENDS)
			out_format(o, "\\n... %" PRIu32 " more ...", n - 2 * CHAIN_ENDS);
		last = f;
	}
	return last;
}

/* A self by the largest one that is shown, which so has the last colour. */
static double of_largest(const struct picture *p, double self)
{
	return p->largest_self > 0 ? self / p->largest_self : 0;
}

/* A weight, which has the format of times if it is one and there is a format. */
static void write_measure(struct out *o, const struct picture *p, double share)
{
	const struct graph *g = p->drawing.graph;
	uint64_t weight = (uint64_t)llround(share * (double)g->total);
	char text[WEIGHT_BYTES];

	if (p->options->time_format && g->unit == TREE_GTICKS && weight_is_time(p->in->profile))
		dot_text_time(o, p->options->time_format, (double)weight / 1e9);
	else
		out_text(o, weight_text(text, weight_scale(p->in->profile, g->unit, g->total),
					weight));
}

/* What stands below a name, in the order that was asked for; what is self stands in parentheses. */
static void write_measures(struct out *o, const struct picture *p, double total, double self)
{
	unsigned labels = p->options->labels ? p->options->labels
					     : VIEW_LABEL_TOTAL_PERCENT |
						       VIEW_LABEL_SELF_PERCENT << VIEW_LABEL_BITS;

	for (; labels; labels >>= VIEW_LABEL_BITS) {
		unsigned label = labels & VIEW_LABEL_MASK;
		bool is_self = label == VIEW_LABEL_SELF || label == VIEW_LABEL_SELF_PERCENT;
		double share = is_self ? self : total;

		out_text(o, is_self ? "\\n(" : "\\n");
		if (label == VIEW_LABEL_TOTAL || label == VIEW_LABEL_SELF)
			write_measure(o, p, share);
		else
			out_format(o, "%.2f%%", share * 100);
		out_text(o, is_self ? ")" : "");
	}
}

static void write_node(struct out *o, const struct picture *p, const struct pruned_graph_node *n)
{
	const struct tree_function *f = &p->drawing.graph->functions[n->function];
	double share = p->options->by_self ? of_largest(p, n->self) : n->total;
	char colour[COLOUR_BYTES];
	uint32_t last;

	out_text(o, "\t");
	dot_text_quote(o, p->drawing.strings, f->name);
	out_text(o, " [label=\"");
	last = write_chain(o, p, n->function);
	write_measures(o, p, n->total, node_of(p, last)->self);
	if (n->calls)
		out_format(o, "\\n%" PRIu64 "\xc3\x97", n->calls);
	if (p->options->show_samples)
		out_format(o, "\\n%" PRIu64 " (%" PRIu64 ") samples", f->hits, f->self_hits);
	out_format(o, "\", color=\"%s\", fontcolor=\"%s\"", colour_of(colour, p->scale, share),
		   colour_of_text(p->scale, share));
	if (!colour_fills(p->scale))
		out_format(o, ", fontsize=\"%.1f\", penwidth=\"%.2f\"",
			   colour_font(p->scale, share), colour_pen(p->scale, share));
	if (p->wraps || strings_other(p->drawing.strings, f->name) != f->name) {
		out_text(o, ", tooltip=");
		dot_text_quote(o, p->drawing.strings, f->name);
	}
	out_text(o, "];\n");
}

static void write_ends(struct out *o, const struct picture *p, uint32_t caller, uint32_t callee)
{
	const struct pruned_graph *d = &p->drawing;

	out_text(o, "\t");
	dot_text_quote(o, d->strings, d->graph->functions[p->spots[caller].head].name);
	out_text(o, " -> ");
	dot_text_quote(o, d->strings, d->graph->functions[p->spots[callee].head].name);
}

/* An edge without a total is as thin as possible, is labelled with the number of calls alone, and
 * does not decide which of its functions is drawn above the other, because the picture shows time
 * that flows downwards. */
static void write_edge(struct out *o, const struct picture *p, const struct pruned_graph_edge *e)
{
	const struct graph_arc *arc = &p->drawing.graph->arcs[e->arc];
	double share = isnan(e->total) ? 0 : e->total, pen = colour_pen(p->scale, share);
	char line[COLOUR_BYTES], label[COLOUR_BYTES];

	if (p->spots[arc->caller].next == arc->callee)
		return;
	write_ends(o, p, arc->caller, arc->callee);
	out_text(o, " [label=\"");
	if (!isnan(e->total))
		out_format(o, "%.2f%%", share * 100);
	if (arc->calls)
		out_format(o, "%s%" PRIu64 "\xc3\x97", isnan(e->total) ? "" : "\\n", arc->calls);
	out_format(o,
		   "\", color=\"%s\", fontcolor=\"%s\", penwidth=\"%.2f\", "
		   "arrowsize=\"%.2f\"",
		   colour_of_line(line, p->scale, share), colour_of_label(label, p->scale, share),
		   pen, 0.25 + pen / 5);
	if (isnan(e->total))
		out_text(o, ", constraint=\"false\"");
	if (!colour_fills(p->scale))
		out_format(o, ", fontsize=\"%.1f\"", colour_font(p->scale, share));
	out_text(o, "];\n");
}

/* Something lies between the two functions. */
static void write_passage(struct out *o, const struct picture *p, const struct passage *e)
{
	double pen = colour_pen(p->scale, e->total);
	char line[COLOUR_BYTES], label[COLOUR_BYTES];

	write_ends(o, p, e->caller, e->callee);
	out_format(o,
		   " [label=\"%.2f%%\", style=\"dashed\", color=\"%s\", fontcolor=\"%s\", "
		   "penwidth=\"%.2f\", arrowsize=\"%.2f\"];\n",
		   e->total * 100, colour_of_line(line, p->scale, e->total),
		   colour_of_label(label, p->scale, e->total), pen, 0.25 + pen / 5);
}

static int write_picture(struct out *o, const struct picture *p, struct error *err)
{
	const struct pruned_graph *d = &p->drawing;
	size_t i;

	if (write_head(o, p, err))
		return -1;
	for (i = 0; i < d->n_nodes; i++)
		if (!p->spots[d->nodes[i].function].has_before)
			write_node(o, p, &d->nodes[i]);
	for (i = 0; i < d->n_edges; i++)
		write_edge(o, p, &d->edges[i]);
	for (i = 0; i < p->passages.n; i++)
		write_passage(o, p, &p->passages.list[i]);
	out_text(o, "}\n");
	return 0;
}

static int draw(struct picture *p, struct out *o, struct error *err)
{
	if (passages_find(&p->passages, &p->drawing))
		return error_memory(err);
	for (size_t i = 0; i < p->drawing.n_nodes; i++)
		p->largest_self = fmax(p->largest_self, p->drawing.nodes[i].self);
	p->wraps = p->drawing.n_nodes > NODES_LARGE || p->options->wrap;
	if (find_spots(p))
		return error_memory(err);
	return write_picture(o, p, err);
}

/* Nobody can read a picture of thousands of functions, unless somebody has asked for it. */
static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct view_dot_options *options = &in->options->dot;
	struct view_options how = *in->options;
	struct view_input limited = *in;
	struct picture p = {
		.in = in, .options = options, .scale = {options->colormap, options->skew}};
	int status;

	if (compared(in))
		return compared_dot(in, o, err);
	if (options->show_samples && !in->graph->tree)
		return error_usage(err, "--show-samples: the input has calls without stacks, of "
					"which no samples of a function are known");
	limited.options = &how;
	if (!how.top && how.node_threshold < 0)
		how.top = NODES_MOST;
	status = pruned_graph_make(&p.drawing, &limited, err);
	if (!status)
		status = draw(&p, o, err);
	passages_free(&p.passages);
	free(p.spots);
	pruned_graph_free(&p.drawing);
	return status;
}

const struct view view_dot = {
	.name = "dot",
	.help = "the call graph as a picture, for Graphviz",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_base = true,
	.options =
		VIEW_OPTIONS("root", "leaf", "depth", "path", "totals", "calls-from", "node-thres",
			     "edge-thres", "colormap", "skew", "color-nodes-by-selftime",
			     "show-samples", "node-label", "time-format", "wrap"),
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .help = "the call graph for Graphviz, into FILE"}},
	.emit = emit,
};
