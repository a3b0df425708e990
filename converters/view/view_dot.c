/* SPDX-License-Identifier: MIT */
/*
 * view_dot.c - the call graph for Graphviz (Fonseca; Naganov, "call graph").
 *
 * In: struct pruned_graph. Out: a digraph in the DOT language.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "view/view.h"
#include "write/colour.h"
#include "write/dot_text.h"
#include "write/pruned_graph.h"
#include "write/short_name.h"

struct picture {
	struct pruned_graph drawing;
	const struct view_dot_options *options;
	struct colour_scale scale;
	char *name; /* has room for the longest name */
};

static const char head[] =
	"digraph {\n"
	"\tgraph [fontname=\"Arial\", nodesep=\"0.125\", ranksep=\"0.25\"];\n"
	"\tnode [fontname=\"Arial\", fontsize=\"10\", height=\"0\", shape=\"box\", "
	"style=\"%s\", width=\"0\"];\n"
	"\tedge [fontname=\"Arial\", fontsize=\"10\"];\n";

static int make_room(struct picture *p)
{
	const struct graph *g = p->drawing.graph;
	size_t longest = 0, n, i;

	for (i = 0; i < p->drawing.n_nodes; i++) {
		strings_get(g->strings, g->functions[p->drawing.nodes[i].function].name, &n);
		longest = n > longest ? n : longest;
	}
	p->name = malloc(longest + 1);
	return p->name ? 0 : -1;
}

static void write_name(struct out *o, const struct picture *p, uint32_t name)
{
	size_t n, line;
	const char *bytes = strings_get(p->drawing.strings, name, &n);
	uint32_t columns;

	if (p->options->strip) {
		size_t stripped = short_name_strip(p->name, bytes, n);

		bytes = stripped ? p->name : bytes;
		n = stripped ? stripped : n;
	}
	columns = short_name_columns(n);
	for (; n > 0; bytes += line, n -= line) {
		line = p->options->wrap ? short_name_line(bytes, n, columns) : n;
		dot_text_escape(o, bytes, line);
		out_text(o, line < n ? "\\n" : "");
	}
}

static void write_node(struct out *o, const struct picture *p, const struct pruned_graph_node *n)
{
	const struct tree_function *f = &p->drawing.graph->functions[n->function];
	double share = p->options->by_self ? n->self : n->total;
	char colour[COLOUR_BYTES];

	out_text(o, "\t");
	dot_text_quote(o, p->drawing.strings, f->name);
	out_text(o, " [label=\"");
	write_name(o, p, f->name);
	out_format(o, "\\n%.2f%%\\n(%.2f%%)", n->total * 100, n->self * 100);
	if (n->calls)
		out_format(o, "\\n%" PRIu64 "\xc3\x97", n->calls);
	if (p->options->show_samples && p->drawing.graph->tree)
		out_format(o, "\\n%" PRIu64 " (%" PRIu64 ") samples", f->hits, f->self_hits);
	out_format(o, "\", color=\"%s\", fontcolor=\"%s\"", colour_of(colour, p->scale, share),
		   colour_of_text(p->scale, share));
	if (!colour_fills(p->scale))
		out_format(o, ", fontsize=\"%.1f\", penwidth=\"%.2f\"",
			   colour_font(p->scale, share), colour_pen(p->scale, share));
	if (p->options->strip || p->options->wrap) {
		out_text(o, ", tooltip=");
		dot_text_quote(o, p->drawing.strings, f->name);
	}
	out_text(o, "];\n");
}

static void write_ends(struct out *o, const struct picture *p, const struct graph_arc *arc)
{
	const struct pruned_graph *d = &p->drawing;

	out_text(o, "\t");
	dot_text_quote(o, d->strings, d->graph->functions[arc->caller].name);
	out_text(o, " -> ");
	dot_text_quote(o, d->strings, d->graph->functions[arc->callee].name);
}

/* An edge without a total is as thin as possible, has no label, and does not decide which of its
 * functions is drawn above the other, because the picture shows time that flows downwards. */
static void write_edge(struct out *o, const struct picture *p, const struct pruned_graph_edge *e)
{
	const struct graph_arc *arc = &p->drawing.graph->arcs[e->arc];
	double share = isnan(e->total) ? 0 : e->total, pen = colour_pen(p->scale, share);
	char line[COLOUR_BYTES], label[COLOUR_BYTES];

	write_ends(o, p, arc);
	out_text(o, " [label=\"");
	if (!isnan(e->total))
		out_format(o, "%.2f%%", share * 100);
	if (!isnan(e->total) && arc->calls)
		out_format(o, "\\n%" PRIu64 "\xc3\x97", arc->calls);
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

static void write_picture(struct out *o, const struct picture *p)
{
	size_t i;

	out_format(o, head, colour_fills(p->scale) ? "filled" : "solid");
	for (i = 0; i < p->drawing.n_nodes; i++)
		write_node(o, p, &p->drawing.nodes[i]);
	for (i = 0; i < p->drawing.n_edges; i++)
		write_edge(o, p, &p->drawing.edges[i]);
	out_text(o, "}\n");
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct view_dot_options *options = &in->options->dot;
	struct picture p = {.options = options, .scale = {options->colormap, options->skew}};
	int status = pruned_graph_make(&p.drawing, in, err);

	if (!status && make_room(&p))
		status = error_memory(err);
	if (!status)
		write_picture(o, &p);
	free(p.name);
	pruned_graph_free(&p.drawing);
	return status;
}

const struct view view_dot = {
	.name = "dot",
	.help = "the call graph as a picture, for Graphviz",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.options = VIEW_OPTIONS("root", "leaf", "depth", "totals", "node-thres", "edge-thres",
				"colormap", "skew", "color-nodes-by-selftime", "show-samples",
				"strip", "wrap"),
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .help = "the call graph for Graphviz, into FILE"}},
	.emit = emit,
};
