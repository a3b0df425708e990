/* SPDX-License-Identifier: MIT */
/*
 * compared_dot.c - draws the call graph of two programs, coloured by what has changed.
 *
 * In: struct tree whose columns are runs, struct graph. Out: a digraph in the DOT language.
 *
 * What uses more is red, what uses less is blue, the more so the larger the change is in the whole; what may be chance is white. Signs and
 * the mark say the same without colours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "view/compared.h"
#include "write/dot_text.h"
#include "write/pruned_graph.h"
#include "write/short_name.h"

#define FULL	 0.2 /* a change of so much of the whole has the full colour */
#define PEN_MOST 4.0

#define NODES_MOST  32 /* as in the picture of one program */
#define NODES_LARGE 12

struct picture {
	struct compared_table table;
	const struct graph *graph;
	struct comparison_row *functions, *arcs;
	bool *is_drawn; /* by function, at first whether it is reached */
	size_t n_drawn, n_beyond;
	bool wraps;
};

/* ---- what is compared ------------------------------------------------------------------------- */

static int weigh_functions(void *context, const struct tree *t, uint64_t *weights,
			   struct error *err)
{
	const struct graph *first = context;
	struct graph *g = graph_build(t, err);

	for (size_t i = 0; g && i < first->n_functions; i++)
		weights[i] = g->functions[i].total;
	graph_free(g);
	return g ? 0 : -1;
}

static int weigh_arcs(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct graph *first = context;
	struct graph *g = graph_build(t, err);

	for (size_t i = 0; g && i < first->n_arcs; i++)
		weights[i] = g->arcs[i].weight;
	graph_free(g);
	return g ? 0 : -1;
}

/* The measures only read the graph. */
static int compare(struct picture *p, struct error *err)
{
	void *graph = (void *)(uintptr_t)p->graph;
	const struct comparison_measure functions = {weigh_functions, graph};
	const struct comparison_measure arcs = {weigh_arcs, graph};
	const struct comparison *c = &p->table.of->comparison;

	p->functions = comparison_parts(c, &functions, p->graph->n_functions, err);
	p->arcs = p->functions ? comparison_parts(c, &arcs, p->graph->n_arcs, err) : NULL;
	if (!p->arcs)
		return -1;
	p->is_drawn = pruned_graph_reached(p->graph, p->table.in, err);
	return p->is_drawn ? 0 : -1;
}

/* The larger of the shares of both programs. */
static double share(const struct picture *p, const struct comparison_row *row)
{
	const struct comparison *c = &p->table.of->comparison;
	double whole = c->normalizes ? c->before : c->after;
	double before = c->before > 0 ? row->before / c->before : 0;
	double after = whole > 0 ? row->after / whole : 0;

	return before > after ? before : after;
}

static bool is_drawn(const struct picture *p, const struct comparison_row *row, double threshold)
{
	return (row->sum_before || row->sum_after) && share(p, row) * 100 >= threshold;
}

/* From the heaviest function on. */
static int compare_shares(const void *a, const void *b, void *picture)
{
	const struct picture *p = picture;
	const uint32_t *x = a, *y = b;
	double of_x = share(p, &p->functions[*x]), of_y = share(p, &p->functions[*y]);

	if (of_x < of_y || of_x > of_y)
		return of_x < of_y ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

/* Which functions are drawn: of those that are reached and heavy enough, as many as nobody loses sight of, or as asked for. */
static int choose(struct picture *p, struct error *err)
{
	const struct view_options *options = p->table.in->options;
	double least = pruned_graph_node_threshold(options);
	size_t top = options->top || options->node_threshold >= 0 ? options->top : NODES_MOST;
	uint32_t *list = calloc(p->graph->n_functions + 1, sizeof(*list));

	if (!list)
		return error_memory(err);
	for (uint32_t i = 0; i < p->graph->n_functions; i++) {
		p->is_drawn[i] = p->is_drawn[i] && is_drawn(p, &p->functions[i], least);
		if (p->is_drawn[i])
			list[p->n_drawn++] = i;
	}
	qsort_r(list, p->n_drawn, sizeof(*list), compare_shares, p);
	for (; top && p->n_drawn > top; p->n_beyond++)
		p->is_drawn[list[--p->n_drawn]] = false;
	p->wraps = p->n_drawn > NODES_LARGE || options->dot.wrap;
	free(list);
	return 0;
}

/* ---- the picture ------------------------------------------------------------------------------ */

/* From white to red or to blue. */
static void write_colour(struct out *o, const struct picture *p, const struct comparison_row *row)
{
	double part = p->table.of->largest > 0
			      ? fabs(row->welch.change) / p->table.of->largest / FULL
			      : 0;
	unsigned other = 0xf0 - (unsigned)(0x70 * (part < 1 ? part : 1));

	if (!row->is_significant)
		out_text(o, "#ffffff");
	else if (row->welch.change > 0)
		out_format(o, "#ff%02x%02x", other, other);
	else
		out_format(o, "#%02x%02xff", other, other);
}

static void write_name(struct out *o, const struct picture *p, uint32_t name)
{
	size_t n, line;
	const char *bytes = strings_shown(p->graph->strings, name, &n);
	uint32_t columns = short_name_columns(n);

	for (; n > 0; bytes += line, n -= line) {
		line = p->wraps ? short_name_line(bytes, n, columns) : n;
		dot_text_escape(o, bytes, line);
		out_text(o, line < n ? "\\n" : "");
	}
}

static void write_function(struct out *o, const struct picture *p, size_t i)
{
	const struct comparison_row *row = &p->functions[i];
	const struct compared_resource *r = p->table.of;
	uint32_t name = p->graph->functions[i].name;

	out_text(o, "\t");
	dot_text_quote(o, p->graph->strings, name);
	out_text(o, " [label=\"");
	write_name(o, p, name);
	out_format(o, "\\n%.*f \xe2\x86\x92 %.*f%s%s\\n%+.*f \xc2\xb1 %.*f%s\", fillcolor=\"",
		   r->decimals, row->before / r->divisor, r->decimals, row->after / r->divisor,
		   *r->unit ? " " : "", r->unit, r->decimals, row->welch.change / r->divisor,
		   r->decimals, row->welch.plus_minus / r->divisor,
		   row->is_significant ? " *" : "");
	write_colour(o, p, row);
	out_text(o, row->is_significant ? "\"];\n" : "\", color=\"#888888\"];\n");
}

static void write_arc(struct out *o, const struct picture *p, size_t i)
{
	const struct graph_arc *arc = &p->graph->arcs[i];
	const struct comparison_row *row = &p->arcs[i];
	const struct compared_resource *r = p->table.of;
	double pen = 0.5 + (PEN_MOST - 0.5) * share(p, row);

	out_text(o, "\t");
	dot_text_quote(o, p->graph->strings, p->graph->functions[arc->caller].name);
	out_text(o, " -> ");
	dot_text_quote(o, p->graph->strings, p->graph->functions[arc->callee].name);
	out_format(o,
		   " [label=\"%+.*f%s\", color=\"%s\", penwidth=\"%.2f\", arrowsize=\"%.2f\"%s];\n",
		   r->decimals, row->welch.change / r->divisor, row->is_significant ? " *" : "",
		   !row->is_significant	   ? "#888888"
		   : row->welch.change > 0 ? "#c00000"
					   : "#0000c0",
		   pen, 0.25 + pen / 5,
		   !row->sum_after    ? ", style=\"dashed\""
		   : !row->sum_before ? ", style=\"bold\""
				      : "");
}

static int write_head(struct out *o, const struct picture *p, struct error *err)
{
	const struct comparison *c = &p->table.of->comparison;
	size_t after = c->n_runs - c->n_base;

	out_format(o,
		   "digraph {\n"
		   "\tgraph [fontname=\"Arial\", fontsize=\"10\", nodesep=\"0.125\", "
		   "ranksep=\"0.25\", "
		   "label=\"before: %zu run%s, after: %zu run%s; %s; red: more, blue: less, white: "
		   "may "
		   "be chance",
		   c->n_base, c->n_base == 1 ? "" : "s", after, after == 1 ? "" : "s",
		   c->normalizes ? "shares" : "exact totals");
	if (p->n_beyond)
		out_format(o, "\\lnot shown: %zu function%s beyond the %zu heaviest", p->n_beyond,
			   p->n_beyond == 1 ? "" : "s", p->n_drawn);
	if (dot_text_parts(o, "\\l", p->table.in, err))
		return -1;
	out_text(o, "\", labelloc=\"b\", labeljust=\"l\"];\n"
		    "\tnode [fontname=\"Arial\", fontsize=\"10\", height=\"0\", shape=\"box\", "
		    "style=\"filled\", width=\"0\"];\n"
		    "\tedge [fontname=\"Arial\", fontsize=\"10\"];\n");
	return 0;
}

static int draw(struct out *o, struct picture *p, struct error *err)
{
	const struct view_options *options = p->table.in->options;
	const struct graph *g = p->graph;
	double edges = pruned_graph_edge_threshold(options);

	if (choose(p, err) || write_head(o, p, err))
		return -1;
	for (size_t i = 0; i < g->n_functions; i++)
		if (p->is_drawn[i])
			write_function(o, p, i);
	for (size_t i = 0; i < g->n_arcs; i++)
		if (p->is_drawn[g->arcs[i].caller] && p->is_drawn[g->arcs[i].callee] &&
		    is_drawn(p, &p->arcs[i], edges))
			write_arc(o, p, i);
	out_text(o, "}\n");
	return 0;
}

int compared_dot(const struct view_input *in, struct out *o, struct error *err)
{
	struct picture p = {.graph = in->graph};
	int status;

	if (in->options->totals == VIEW_PROPAGATED)
		return error_usage(err, "--totals propagated: exact totals are compared");
	status = compared_table_begin(&p.table, in, o, "function", err);
	if (!status)
		status = compare(&p, err);
	if (!status)
		status = draw(o, &p, err);
	compared_table_free(&p.table);
	free(p.functions);
	free(p.arcs);
	free(p.is_drawn);
	return status;
}
