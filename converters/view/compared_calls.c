/* SPDX-License-Identifier: MIT */
/*
 * compared_calls.c - shows the calls, or the call paths, of two programs beside each other.
 *
 * In: struct tree whose columns are runs. Out: text, or rows.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/function_names.h"
#include "graph/graph.h"
#include "tree/callpath.h"
#include "view/compared.h"
#include "write/name_list.h"

#define ARROW " -> "

struct ranking {
	struct compared_table table;
	struct compared_ranking of;
};

static void ranking_free(struct ranking *r)
{
	compared_table_free(&r->table);
	compared_ranking_free(&r->of);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A graph has the same calls in the same order whatever the weights of the tree are. */
static int weigh_arcs(void *context, const struct tree *t, uint64_t *weights, struct error *err)
{
	const struct graph *first = context;
	struct graph *g = graph_build(t, err);

	for (size_t i = 0; g && i < first->n_arcs; i++)
		weights[i] = g->arcs[i].stacks;
	graph_free(g);
	return g ? 0 : -1;
}

/* No terminal is wider than what this stops at. */
static int columns_of(const char *name, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n && columns < 10000; i++)
		columns += out_columns(name + i, n - i);
	return columns;
}

/* Write a name that ends a line. Returns its columns. */
static int write_end(struct out *o, const struct graph *g, uint32_t function, int column)
{
	size_t n;
	const char *name = strings_shown(g->strings, g->functions[function].name, &n);

	out_name_fit(o, name, n, column);
	return columns_of(name, n);
}

/* On a terminal that is too narrow for both names the callee has a line of its own. */
static void write_call(struct out *o, const struct graph *g, const struct graph_arc *arc)
{
	size_t n;
	const char *callee = strings_shown(g->strings, g->functions[arc->callee].name, &n);
	int width = out_width(o), column = COMPARED_COLUMN;

	column += write_end(o, g, arc->caller, column);
	if (width && column + (int)strlen(ARROW) + columns_of(callee, n) > width) {
		out_format(o, "\n%*s", COMPARED_COLUMN, "");
		column = COMPARED_COLUMN;
	}
	out_text(o, &ARROW[column <= COMPARED_COLUMN]);
	write_end(o, g, arc->callee, column + (int)strlen(ARROW));
}

static void write_arc(struct ranking *r, const struct graph *g, uint32_t i)
{
	static const char *const columns[] = {COMPARED_KEYS, "caller", "callee", NULL};
	const struct graph_arc *arc = &g->arcs[i];
	struct compared_table *t = &r->table;

	compared_table_row(t, &r->of.rows[i], columns);
	if (view_input_is_rows(t->in->options)) {
		rows_name(&t->rows, g->strings, g->functions[arc->caller].name);
		rows_name(&t->rows, g->strings, g->functions[arc->callee].name);
		return;
	}
	write_call(t->out, g, arc);
	compared_table_row_end(t, &r->of.rows[i]);
}

int compared_edges(const struct view_input *in, struct out *o, struct error *err)
{
	/* The measure only reads the graph. */
	const struct comparison_measure measure = {weigh_arcs, (void *)(uintptr_t)in->graph};
	struct ranking r = {0};
	int status = compared_table_begin(&r.table, in, o, "edge", err);

	if (!status)
		status = compared_ranking_make(&r.of, &r.table.comparison, &measure,
					       in->graph->n_arcs, err);
	if (!status) {
		compared_table_head(&r.table, "Call Graph Edges", "edges", "caller -> callee");
		for (size_t i = 0; i < r.of.n; i++)
			if (!compared_table_hides(&r.table, &r.of.rows[r.of.order[i]]))
				write_arc(&r, in->graph, r.of.order[i]);
		compared_table_end(&r.table);
	}
	ranking_free(&r);
	return status;
}
