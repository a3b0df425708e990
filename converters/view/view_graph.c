/* SPDX-License-Identifier: MIT */
/*
 * view_graph.c - the call graph as text, the same that view_dot.c draws (Fonseca).
 *
 * In: struct pruned_graph. Out: functions, each with its calls.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "view/compared.h"
#include "view/view.h"
#include "write/caption.h"
#include "write/footer.h"
#include "write/pruned_graph.h"
#include "write/rows.h"
#include "write/table.h"

#define ARROW	    "  -> "
#define NARROW	    60 /* columns of a terminal */
#define CYCLE_LEAST 12
#define CALLS_WIDTH 12 /* a column more */
#define CYCLE_WIDTH 25 /* columns kept free for the cycle behind a name on a narrow terminal */

/* ---- for programs ---- */
static void write_share(struct rows *r, double share)
{
	if (isnan(share))
		rows_none(r);
	else
		rows_fraction(r, share);
}

static void write_node(struct rows *r, const struct pruned_graph *d,
		       const struct pruned_graph_node *n)
{
	static const char *const columns[] = {"row",   "total_fraction", "self_fraction",
					      "cycle", "name",		 NULL};
	static const char *const of_calls[] = {
		"row", "total_fraction", "self_fraction", "cycle", "name", "calls", NULL,
	};

	rows_row(r, d->graph->has_calls ? of_calls : columns);
	rows_word(r, "func");
	rows_fraction(r, n->total);
	rows_fraction(r, n->self);
	if (n->cycle == PRUNED_GRAPH_NO_CYCLE)
		rows_none(r);
	else
		rows_name(r, d->strings, d->graph->functions[n->cycle].name);
	rows_name(r, d->strings, d->graph->functions[n->function].name);
	if (d->graph->has_calls)
		rows_count(r, n->calls);
}

static void write_edge(struct rows *r, const struct pruned_graph *d,
		       const struct pruned_graph_edge *e)
{
	static const char *const columns[] = {
		"row", "total_fraction", "share", "occurrences", "caller", "callee", NULL,
	};
	static const char *const of_calls[] = {
		"row", "total_fraction", "share", "calls", "caller", "callee", NULL,
	};
	bool has_calls = d->graph->has_calls;
	const struct graph_arc *a = &d->graph->arcs[e->arc];

	rows_row(r, has_calls ? of_calls : columns);
	rows_word(r, "edge");
	write_share(r, e->total);
	write_share(r, e->ratio);
	rows_count(r, has_calls ? a->calls : a->occurrences);
	rows_name(r, d->strings, d->graph->functions[a->caller].name);
	rows_name(r, d->strings, d->graph->functions[a->callee].name);
}

static void write_rows(struct out *o, const struct view_input *in, const struct pruned_graph *d)
{
	struct rows r;
	size_t i;

	rows_begin_totals(&r, o, "graph", in, d->is_exact);
	for (i = 0; i < d->n_nodes; i++)
		write_node(&r, d, &d->nodes[i]);
	for (i = 0; i < d->n_edges; i++)
		write_edge(&r, d, &d->edges[i]);
	rows_end(&r);
}

/* ---- for people ---- */

/* The heaviest function is first. Of two functions with the same total the one with less self is
 * first, because it is more likely to be the caller. */
static int compare_nodes(const void *a, const void *b)
{
	const struct pruned_graph_node *x = a, *y = b;

	if (x->total < y->total || x->total > y->total)
		return x->total < y->total ? 1 : -1;
	if (x->self < y->self || x->self > y->self)
		return x->self < y->self ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* The edges are sorted by caller, then the heaviest is first. Calls without a total are last. */
static int compare_edges(const void *a, const void *b, void *context)
{
	const struct pruned_graph_edge *x = a, *y = b;
	const struct graph_arc *arcs = context;
	double x_total = isnan(x->total) ? -1 : x->total, y_total = isnan(y->total) ? -1 : y->total;

	if (arcs[x->arc].caller != arcs[y->arc].caller)
		return arcs[x->arc].caller < arcs[y->arc].caller ? -1 : 1;
	if (x_total < y_total || x_total > y_total)
		return x_total < y_total ? 1 : -1;
	return (x->arc > y->arc) - (x->arc < y->arc);
}

static bool is_narrow(const struct out *o)
{
	return out_width(o) && out_width(o) < NARROW;
}

/* Of a column of percentages, with a blank before it. */
static int percent_width(const struct out *o)
{
	return is_narrow(o) ? 7 : 9;
}

static int name_column(const struct out *o)
{
	return 3 * percent_width(o) + 3;
}

static void write_percent(struct out *o, double share)
{
	if (isnan(share))
		out_format(o, "%*s", percent_width(o), "-");
	else
		out_format(o, "%*.2f", percent_width(o), share * 100);
}

static void write_no_percent(struct out *o)
{
	out_format(o, "%*s", percent_width(o), "");
}

/* Write the number of calls if it is known, and the blanks between that column and the names. */
static void write_count(struct out *o, const struct pruned_graph *d, uint64_t calls)
{
	if (d->graph->has_calls)
		out_format(o, " %*" PRIu64, CALLS_WIDTH - 1, calls);
	out_text(o, "   ");
}

static void write_name(struct out *o, const struct pruned_graph *d, uint32_t function, int column)
{
	size_t n;
	const char *name = strings_shown(d->strings, d->graph->functions[function].name, &n);

	out_name_fit(o, name, n, column + (d->graph->has_calls ? CALLS_WIDTH : 0));
}

static void write_cycle(struct out *o, const struct pruned_graph *d, uint32_t function)
{
	size_t n;
	const char *name = strings_shown(d->strings, d->graph->functions[function].name, &n);

	out_name_cut(o, name, n, out_width(o) ? CYCLE_LEAST : INT_MAX);
}

static void write_calls(struct out *o, const struct pruned_graph *d,
			const struct pruned_graph_edge *e, const struct pruned_graph_edge *end)
{
	for (; e < end; e++) {
		write_percent(o, e->total);
		write_no_percent(o);
		write_percent(o, e->ratio);
		write_count(o, d, d->graph->arcs[e->arc].calls);
		out_text(o, &ARROW[is_narrow(o) ? 2 : 0]);
		write_name(o, d, d->graph->arcs[e->arc].callee,
			   name_column(o) + (int)strlen(&ARROW[is_narrow(o) ? 2 : 0]));
		out_text(o, "\n");
	}
}

static void write_function(struct out *o, const struct pruned_graph *d,
			   const struct pruned_graph_node *n)
{
	write_percent(o, n->total);
	write_percent(o, n->self);
	write_no_percent(o);
	write_count(o, d, n->calls);
	if (n->cycle == PRUNED_GRAPH_NO_CYCLE) {
		write_name(o, d, n->function, name_column(o));
	} else {
		write_name(o, d, n->function, name_column(o) + CYCLE_WIDTH);
		out_text(o, "  (cycle of ");
		write_cycle(o, d, n->cycle);
		out_text(o, ")");
	}
	out_text(o, "\n");
}

static void write_left_out(struct out *o, const struct pruned_graph *d,
			   const struct view_options *options)
{
	struct footer footer = {.what = "function", .small = d->n_small, .beyond = d->n_beyond};
	size_t calls = d->graph->n_arcs - d->n_edges;

	footer_write(o, &footer, options, d->node_threshold);
	if (d->n_unreached)
		out_format(o, "not shown: %zu function%s out of reach%s\n", d->n_unreached,
			   d->n_unreached == 1 ? "" : "s",
			   *options->paths ? ", or in no --path" : "");
	if (calls)
		out_format(o, "not shown: %zu call%s of these or below %g %%\n", calls,
			   calls == 1 ? "" : "s", d->edge_threshold);
}

static void write_heading(struct out *o, const struct view_input *in, const struct pruned_graph *d)
{
	caption_write(o, "Call Graph", in);
	out_format(o, "%s\n", pruned_graph_totals(d));
	out_format(o, "\n%*s%*s%*s", percent_width(o), is_narrow(o) ? "total%" : "total %",
		   percent_width(o), is_narrow(o) ? "self%" : "self %", percent_width(o),
		   is_narrow(o) ? "share%" : "share %");
	if (in->graph->has_calls)
		out_format(o, " %*s", CALLS_WIDTH - 1, "calls");
	out_text(o, "   function, and what it calls\n");
	caption_rule(o);
}

static int write_text(struct out *o, const struct view_input *in, struct pruned_graph *d,
		      struct error *err)
{
	/* For each function, the end of its calls, which begin where those of the function before end. */
	size_t *end = calloc(d->graph->n_functions + 1, sizeof(*end)), i;

	if (!end)
		return error_memory(err);
	qsort_r(d->edges, d->n_edges, sizeof(*d->edges), compare_edges, d->graph->arcs);
	for (i = 0; i < d->n_edges; i++)
		end[d->graph->arcs[d->edges[i].arc].caller + 1] = i + 1;
	for (i = 1; i <= d->graph->n_functions; i++)
		end[i] = end[i] > end[i - 1] ? end[i] : end[i - 1];
	qsort(d->nodes, d->n_nodes, sizeof(*d->nodes), compare_nodes);
	write_heading(o, in, d);
	for (i = 0; i < d->n_nodes; i++) {
		uint32_t f = d->nodes[i].function;

		write_function(o, d, &d->nodes[i]);
		write_calls(o, d, d->edges + end[f], d->edges + end[f + 1]);
	}
	write_left_out(o, d, in->options);
	free(end);
	return 0;
}

/* ---- the names alone ---- */

static void list_function(struct out *o, const struct pruned_graph *d,
			  const struct pruned_graph_node *n, bool has_figures)
{
	size_t length;
	const char *name = strings_get(d->strings, d->graph->functions[n->function].name, &length);

	out_name(o, name, length);
	if (has_figures)
		out_format(o, "\ttotal %.2f %%, self %.2f %%", n->total * 100, n->self * 100);
	if (has_figures && d->graph->has_calls)
		out_format(o, ", %" PRIu64 " calls", n->calls);
	out_text(o, "\n");
}

/* As gprof2dot does it: + and * are all functions, and a per cent sign before the pattern asks for more than names. */
static int list_functions(struct out *o, const struct pruned_graph *d, const char *pattern,
			  struct error *err)
{
	bool has_figures = *pattern == '%';
	size_t found = 0;

	pattern += has_figures;
	for (size_t i = 0; i < d->n_nodes; i++) {
		const char *name = strings_get(
			d->strings, d->graph->functions[d->nodes[i].function].name, NULL);

		if (strcmp(pattern, "+") != 0 && fnmatch(pattern, name, 0) != 0)
			continue;
		list_function(o, d, &d->nodes[i], has_figures);
		found++;
	}
	return found ? 0
		     : error_set(err,
				 "--list-functions: no function of the graph matches \"%s\"; "
				 "with -n 0 it has all",
				 pattern);
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct pruned_graph d;
	int status = 0;

	if (in->tree && table_shape(in) != TABLE_ONE)
		return blocks_graph(in, o, err);
	if (pruned_graph_make(&d, in, err))
		return -1;
	if (in->options->list_functions)
		status = list_functions(o, &d, in->options->list_functions, err);
	else if (view_input_is_rows(in->options))
		write_rows(o, in, &d);
	else
		status = write_text(o, in, &d, err);
	pruned_graph_free(&d);
	return status;
}

const struct view view_graph = {
	.name = "graph",
	.help = "the call graph as text: functions and their calls",
	.needs = VIEW_NEEDS_GRAPH | VIEW_TAKES_CALLS,
	.has_rows = true,
	.has_base = true,
	.has_columns = true,
	.options = VIEW_OPTIONS("root", "leaf", "depth", "path", "totals", "calls-from",
				"node-thres", "edge-thres", "list-functions"),
	.commands = {{.help = "the call graph as text"}},
	.emit = emit,
};
